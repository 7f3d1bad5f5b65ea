package main

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"strings"
)

// Most of the time of a verdict goes into a build. So there is first one program with many edits,
// of which a variable of the environment puts one in force: each function that is edited comes
// once more for each of its edits, and begins by asking which one it is. What is found there
// is found; what is not is built alone.

// inForce is the variable of the environment that says which edit is in force, by its number.
const inForce = "HEDDLE_MUTANT"

// batch is how many edits are in one program at most: its build takes longer with each.
const batch = 60

// chooser is the file that reads it.
const chooser = `package %s

import (
	"os"
	"strconv"
)

var mutantInForce, _ = strconv.Atoi(os.Getenv("` + inForce + `"))
`

// combine returns the texts of a package, by file, with all edits that can share a program, and
// their numbers in it.
func combine(s *source, edits []*edit) (files map[string]string, numbers map[*edit]int) {
	files, numbers = make(map[string]string), make(map[*edit]int)
	for i, file := range s.files {
		text := s.texts[i]
		var b, variants strings.Builder
		done := 0
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			offset := func(n ast.Node) (from, to int) {
				return s.fset.Position(n.Pos()).Offset, s.fset.Position(n.End()).Offset
			}
			from, to := offset(f)
			if f.Doc != nil {
				_, from = offset(f.Doc)
			}
			body, _ := offset(f.Body)
			name, nameEnd := offset(f.Name)
			var cases strings.Builder
			for _, e := range edits {
				if e.file != i || e.at < body || e.end > to {
					continue
				}
				k := len(numbers) + 1
				call, ok := forward(f, fmt.Sprintf("mutant%d_%s", k, f.Name.Name))
				if !ok {
					continue
				}
				numbers[e] = k
				fmt.Fprintf(&cases, "\ncase %d:\n%s", k, call)
				fmt.Fprintf(&variants, "\n\n%smutant%d_%s%s%s%s",
					strings.TrimLeft(text[from:name], "\n"), k, text[name:nameEnd],
					text[nameEnd:e.at], e.text, text[e.end:to])
			}
			if cases.Len() > 0 {
				b.WriteString(text[done : body+1])
				b.WriteString("\nswitch mutantInForce {" + cases.String() + "\n}\n")
				done = body + 1
			}
		}
		if variants.Len() > 0 {
			b.WriteString(text[done:])
			b.WriteString(variants.String() + "\n")
			files[filepath.Join(s.dir, filepath.Base(s.names[i]))] = b.String()
		}
	}
	if len(files) > 0 {
		files[filepath.Join(s.dir, "mutant_in_force.go")] = fmt.Sprintf(chooser, s.types.Name())
	}
	return files, numbers
}

// forward is the code that calls another function in the place of f. It is not ok where that
// would not be the same: f recovers, or is known to the linker, or has arguments without names.
func forward(f *ast.FuncDecl, to string) (code string, ok bool) {
	if f.Recv == nil && f.Name.Name == "init" {
		return "", false
	}
	if f.Doc != nil {
		for _, c := range f.Doc.List {
			if strings.HasPrefix(c.Text, "//go:") {
				return "", false
			}
		}
	}
	recovers := false
	ast.Inspect(f.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		recovers = recovers || ok && id.Name == "recover"
		return true
	})
	if recovers {
		return "", false
	}
	call := to
	if f.Recv != nil {
		if len(f.Recv.List[0].Names) != 1 || f.Recv.List[0].Names[0].Name == "_" {
			return "", false
		}
		call = f.Recv.List[0].Names[0].Name + "." + to
	}
	if f.Type.TypeParams != nil {
		var names []string
		for _, p := range f.Type.TypeParams.List {
			for _, n := range p.Names {
				names = append(names, n.Name)
			}
		}
		call += "[" + strings.Join(names, ", ") + "]"
	}
	var args []string
	for _, p := range f.Type.Params.List {
		if len(p.Names) == 0 {
			return "", false
		}
		for _, n := range p.Names {
			if n.Name == "_" {
				return "", false
			}
			arg := n.Name
			if _, more := p.Type.(*ast.Ellipsis); more {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	call += "(" + strings.Join(args, ", ") + ")"
	if f.Type.Results == nil || len(f.Type.Results.List) == 0 {
		return call + "\nreturn", true
	}
	return "return " + call, true
}

// environment puts an edit in force.
func environment(number int) string { return fmt.Sprintf("%s=%d", inForce, number) }
