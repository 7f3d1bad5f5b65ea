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

// A command is one that pages print.
type command struct {
	text string // one line, without its comment
	at   string // where it stands first
	span bool   // it only stands in running text
}

// start matches the start of a line that is a command, and is not prose.
var start = regexp.MustCompile(`^(?:export )?(?:[A-Z][A-Z0-9_]*=\S* )*(?:xvfb-run |chrt -r \d+ )?` +
	`(?:go (?:-C|build|get|install|list|mod|run|test|tool|vet)\b|make(?: |$)|\.ci/[a-z]|bin/[a-z])|` +
	`^(?:export )?[A-Z][A-Z0-9_]+=\S+$`)

var (
	span    = regexp.MustCompile("`([^`]+)`")
	fence   = regexp.MustCompile("^\\s*```\\s*(\\S*)")
	comment = regexp.MustCompile(`\s+#\s.*$`)
)

// extract returns the commands of a tree by their texts, in the order of its pages.
func extract(tree fs.FS) (found []*command, err error) {
	by := map[string]*command{}
	add := func(text, at string, span bool) {
		text = strings.TrimSpace(comment.ReplaceAllString(strings.TrimPrefix(text, "$ "), ""))
		if !start.MatchString(text) {
			return
		}
		if by[text] == nil {
			by[text] = &command{text: text, at: at, span: span}
			found = append(found, by[text])
		}
		by[text].span = by[text].span && span
	}
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case d.IsDir() && (base == "testdata" || base == "bin" || base[0] == '.' && name != "."):
			return fs.SkipDir
		case d.IsDir(), name == "CHANGELOG.md", strings.HasSuffix(base, "_test.go"):
			return nil
		}
		ext := path.Ext(name)
		if ext != ".md" && ext != ".go" {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err == nil && ext == ".md" {
			fromPage(string(text), name, add)
		} else if err == nil {
			err = fromSource(text, name, add)
		}
		return err
	})
	return found, err
}

// fromPage adds the lines of code blocks and the spans of a page.
func fromPage(text, name string, add func(text, at string, span bool)) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	inside, lang, whole := false, "", ""
	prose := make([]string, 0, strings.Count(text, "\n"))
	for i, line := range strings.Split(text, "\n") {
		at := name + ":" + strconv.Itoa(i+1)
		if m := fence.FindStringSubmatch(line); m != nil {
			inside, lang, line = !inside, m[1], ""
		} else if inside {
			if more, ok := strings.CutSuffix(line, `\`); ok {
				whole += strings.TrimSpace(more) + " "
			} else if slices.Contains([]string{"", "sh", "bash", "console"}, lang) {
				add(whole+strings.TrimSpace(line), at, false)
				whole = ""
			}
			line = ""
		}
		prose = append(prose, line)
	}
	fromProse(strings.Join(prose, "\n"), name, 1, add)
}

// fromProse adds the spans between backticks, which may go over the ends of lines.
func fromProse(text, name string, line int, add func(text, at string, span bool)) {
	for _, m := range span.FindAllStringSubmatchIndex(text, -1) {
		code := text[m[2]:m[3]]
		if !strings.Contains(code, "\n\n") {
			at := name + ":" + strconv.Itoa(line+strings.Count(text[:m[0]], "\n"))
			add(strings.Join(strings.Fields(code), " "), at, true)
		}
	}
}

// fromSource adds the indented lines and the spans of comments, and strings that are commands: that
// is how -h says how a program is called.
func fromSource(text []byte, name string, add func(text, at string, span bool)) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text,
		parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	at := func(pos token.Pos) string { return name + ":" + strconv.Itoa(fset.Position(pos).Line) }
	for _, group := range file.Comments {
		var prose []string
		for _, c := range group.List {
			line := strings.TrimPrefix(c.Text, "//")
			if code, ok := strings.CutPrefix(line, "\t"); ok {
				add(code, at(c.Pos()), false)
				line = ""
			}
			prose = append(prose, line)
		}
		fromProse(strings.Join(prose, "\n"), name, fset.Position(group.Pos()).Line, add)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && usage.MatchString(s) {
				add(s, at(lit.Pos()), true)
			}
		}
		return true
	})
	return nil
}

// usage matches a string of the source that says how a program is called.
var usage = regexp.MustCompile(`^go (-C \S+ )?run \.[^%$\n]*$`)
