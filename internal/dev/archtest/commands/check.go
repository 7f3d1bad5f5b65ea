package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A tree is what commands are looked up in.
type tree struct {
	fs.FS
	makefile string
	words    map[string]bool        // in capitals, of sources, scripts and the Makefile
	files    map[string][]*ast.File // by folder
	flags    map[string]map[string]bool
}

var (
	capitals = regexp.MustCompile(`\b[A-Z][A-Z0-9_]+\b`)
	assigned = regexp.MustCompile(`^([A-Z][A-Z0-9_]*)=`)
	flagged  = regexp.MustCompile(`^--?([A-Za-z][A-Za-z0-9_-]*)(=|$)`)
	quoting  = regexp.MustCompile(`'[^']*'|"[^"]*"|\S`)
	// ofGo matches the variables of the go command and the runtime.
	ofGo = regexp.MustCompile(`^(GO(ARCH|BIN|DEBUG|FLAGS|GC|MAXPROCS|MEMLIMIT|OS|RACE|TOOLCHAIN)|` +
		`CGO_ENABLED)$`)
	// plain and valued match flags of go build and go test, without and with a value.
	plain = regexp.MustCompile(`^(a|benchmem|c|cover|failfast|json|n|race|short|` +
		`trimpath|v|work|x)$`)
	valued = regexp.MustCompile(`^(bench|benchtime|count|cpu|cpuprofile|coverprofile|` +
		`debug-actiongraph|exec|fuzz|fuzztime|gcflags|ldflags|memprofile|mod|o|overlay|p|parallel|` +
		`run|skip|tags|timeout|trace|vet)$`)
	flagCall = regexp.MustCompile(`^(Bool|Duration|Float64|Func|Int|Int64|String|Text|Uint|` +
		`Uint64|Regexp|BoolFunc)?(Var)?$`)
)

func newTree(files fs.FS) (*tree, error) {
	t := &tree{FS: files, makefile: "\n", words: map[string]bool{}, files: map[string][]*ast.File{},
		flags: map[string]map[string]bool{}}
	return t, fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		if err != nil || d.IsDir() {
			if d.IsDir() && (base == "bin" || base == "testdata" || base[0] == '.' &&
				name != "." && name != ".ci") {
				return fs.SkipDir
			}
			return err
		}
		source := path.Ext(name) == ".go"
		if !source && name != "Makefile" && path.Dir(name) != ".ci" {
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		for _, word := range capitals.FindAllString(string(text), -1) {
			t.words[word] = true
		}
		if name == "Makefile" {
			t.makefile += string(text)
		} else if source {
			file, err := parser.ParseFile(token.NewFileSet(), name, text,
				parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			t.files[path.Dir(name)] = append(t.files[path.Dir(name)], file)
		}
		return nil
	})
}

// wrong says what is wrong with a command, or "". Placeholders have their values.
func (t *tree) wrong(text string) string {
	for _, part := range regexp.MustCompile(` (?:&&|\|) `).Split(text, -1) {
		if why := t.wrongPart(words(part)); why != "" {
			return why
		}
	}
	return ""
}

// words splits a command as a shell does, as far as pages need that.
func words(text string) (found []string) {
	text = quoting.ReplaceAllStringFunc(text, func(s string) string {
		if len(s) > 1 {
			return strings.ReplaceAll(s[1:len(s)-1], " ", "\x00")
		}
		return s
	})
	for _, word := range strings.Fields(text) {
		found = append(found, strings.ReplaceAll(word, "\x00", " "))
	}
	return found
}

func (t *tree) wrongPart(args []string) string {
	for len(args) > 0 {
		if m := assigned.FindStringSubmatch(args[0]); m != nil {
			if !t.words[m[1]] && !ofGo.MatchString(m[1]) {
				return "nothing reads " + m[1]
			}
		} else if args[0] == "chrt" {
			args = args[2:]
		} else if args[0] != "export" && args[0] != "xvfb-run" {
			break
		}
		args = args[1:]
	}
	switch {
	case len(args) == 0:
		return ""
	case args[0] == "make":
		return t.wrongMake(args[1:])
	case args[0] == "bin/mutants":
		return t.wrongFlags("stress/mutants", args[1:])
	case strings.HasPrefix(args[0], ".ci/"):
		if _, err := fs.Stat(t, args[0]); err != nil {
			return "there is no " + args[0]
		}
		return ""
	case args[0] != "go":
		return ""
	}
	args = args[1:]
	at := "."
	if len(args) > 1 && args[0] == "-C" {
		at, args = args[1], args[2:]
		if _, err := fs.Stat(t, at+"/go.mod"); err != nil {
			return "there is no module " + at
		}
	}
	if len(args) == 0 || args[0] != "run" && args[0] != "test" && args[0] != "build" {
		return "" // the go command says what it has
	}
	return t.wrongGo(at, args[0], args[1:])
}

func (t *tree) wrongMake(args []string) string {
	for _, arg := range args {
		if m := assigned.FindStringSubmatch(arg); m != nil {
			if !strings.Contains(t.makefile, "$("+m[1]+")") {
				return "the Makefile does not use " + m[1]
			}
			continue
		}
		stem, _, pattern := strings.Cut(arg, "/")
		if !strings.Contains(t.makefile, "\n"+arg+":") &&
			!(pattern && strings.Contains(t.makefile, "\n"+stem+"/%:")) {
			return "the Makefile has no target " + arg
		}
	}
	return ""
}

// wrongGo judges what follows go run, go test or go build in the module at.
func (t *tree) wrongGo(at, verb string, args []string) string {
	var dirs []string
	match := map[string]string{}
	for i := 0; i < len(args); i++ {
		m := flagged.FindStringSubmatch(args[i])
		if m == nil {
			in, err := t.packages(at, args[i])
			if err != "" {
				return err
			}
			dirs = append(dirs, in...)
			if verb == "run" {
				if t.files[in[0]][0].Name.Name != "main" {
					return in[0] + " is not a command"
				}
				return t.wrongFlags(in[0], args[i+1:])
			}
			continue
		}
		switch {
		case valued.MatchString(m[1]) && m[2] == "" && i+1 < len(args):
			i++
			match[m[1]] = args[i]
		case !valued.MatchString(m[1]) && !plain.MatchString(m[1]) &&
			t.wrongFlags(at, args[i:i+1]) != "":
			if len(dirs) == 0 || t.wrongFlags(dirs[0], args[i:i+1]) != "" {
				return "go " + verb + " has no flag -" + m[1]
			}
			i++
		}
	}
	if len(dirs) == 0 {
		dirs = []string{at}
	}
	for name, kinds := range map[string]string{"run": "Test|Example|Fuzz", "bench": "Benchmark"} {
		if match[name] != "" && match[name] != "^$" && !t.tested(dirs, kinds, match[name]) {
			return "no test matches -" + name + " " + match[name]
		}
	}
	return ""
}

// packages returns the folders of a pattern of packages in a module.
func (t *tree) packages(at, pattern string) (dirs []string, err string) {
	base, all := strings.CutSuffix(pattern, "...")
	dir := path.Join(at, base)
	for d := range t.files {
		if d == dir || all && (dir == "." || strings.HasPrefix(d, dir+"/")) {
			if t.module(d) == path.Clean(at) {
				dirs = append(dirs, d)
			}
		}
	}
	slices.Sort(dirs)
	if len(dirs) == 0 {
		return nil, "module " + at + " has no package " + pattern
	}
	return dirs, ""
}

// module returns the folder of the module of a folder.
func (t *tree) module(dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, err := fs.Stat(t, dir+"/go.mod"); err == nil {
			break
		}
	}
	return dir
}

// wrongFlags says which flag the command in a folder does not have, or "".
func (t *tree) wrongFlags(dir string, args []string) string {
	known := t.flags[dir]
	if known == nil {
		known = map[string]bool{"h": true}
		t.declared(dir, known, map[string]bool{})
		t.flags[dir] = known
	}
	for _, arg := range args {
		if m := flagged.FindStringSubmatch(arg); m != nil && !known[m[1]] {
			return dir + " has no flag -" + m[1]
		}
	}
	return ""
}

// declared collects the names of flags that a package, or one that it imports here, declares.
func (t *tree) declared(dir string, known, seen map[string]bool) {
	if seen[dir] {
		return
	}
	seen[dir] = true
	for _, file := range t.files[dir] {
		for _, imported := range file.Imports {
			to, _ := strconv.Unquote(imported.Path.Value)
			if to, ok := strings.CutPrefix(to, module+"/"); ok {
				t.declared(to, known, seen)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !flagCall.MatchString(sel.Sel.Name) {
				return true
			}
			for _, arg := range call.Args[:min(3, len(call.Args))] {
				if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					name, _ := strconv.Unquote(lit.Value)
					known[name] = true
					break
				}
			}
			return true
		})
	}
}

// tested reports whether a test of these kinds in the folders has a name that matches.
func (t *tree) tested(dirs []string, kinds, pattern string) bool {
	pattern, _, _ = strings.Cut(pattern, "/")
	match, err := regexp.Compile(pattern)
	kind := regexp.MustCompile(`^(` + kinds + `)`)
	for _, dir := range dirs {
		for _, file := range t.files[dir] {
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if ok && err == nil && f.Recv == nil && kind.MatchString(f.Name.Name) &&
					match.MatchString(f.Name.Name) {
					return true
				}
			}
		}
	}
	return false
}
