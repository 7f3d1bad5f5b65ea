package archtest

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mostTwice is how many lines of code in a row may stand in two places.
const mostTwice = 8

// twiceRule holds that nothing is written twice in what users import, and in internal/dev. Two
// blocks are the same if they are so without white space, comments, blank lines and lines that only
// close something; or if one becomes the other when each of its names is replaced by another one
// throughout.
//
// Lists of names, such as constants that count, are alike only if the names are the same.
var twiceRule = rule{
	name:  "no block stands twice",
	check: func(t *tree) []string { return checkTwice(t, bothThere(t, twiceExceptions)) },
	bad: []badTree{
		{"in two packages", map[string]string{
			"lockfree/x.go": "package lockfree\n\nfunc f(a int) int {\n" + block("a") + "}\n",
			"internal/atomics/x.go": "package atomics\n\nfunc g(a int) {\n" +
				strings.ReplaceAll(block("a"), "\n", " // why\n\n") + "}\n"},
			"internal/atomics/x.go:4: 9 lines stand again at lockfree/x.go:4"},
		{"in one file", map[string]string{"lockfree/x.go": "package lockfree\n\nfunc f(a int) {\n" +
			block("a") + "}\n\nfunc g() (a int) {\n" + block("a") + "}\n"},
			"lockfree/x.go:4: 9 lines stand again at lockfree/x.go:18"},
		{"with other names", map[string]string{"lockfree/x.go": "package lockfree\n\n" +
			"func f(a int) {\n" + block("a") + "}\n\nfunc g() (b int) {\n" + block("b") + "}\n"},
			"lockfree/x.go:4: 9 lines stand again with other names at lockfree/x.go:18"},
	},
}

// twiceExceptions lists pairs of files that share a block, each with the reason. One that does not
// is a finding.
var twiceExceptions = map[string]string{
	"internal/modelcheck/words_int.go: as in internal/atomics/count.go": "what a word of " +
		"sync/atomic can do; a program that counts is not to link the engine",
}

// bothThere drops the exceptions for files that this tree lacks.
func bothThere(t *tree, exceptions map[string]string) map[string]string {
	kept := map[string]string{}
	for key, why := range exceptions {
		if a, b, _ := strings.Cut(key, ": as in "); t.get(a) != nil && t.get(b) != nil {
			kept[key] = why
		}
	}
	return kept
}

// block returns nine lines of code about a variable.
func block(name string) string {
	return strings.ReplaceAll("x++\nfor x > 9 {\nif x == 10 {\nx -= 2\n}\nx *= 3\nx--\n}\nx %= 7\n"+
		"x = -x\nx ^= x >> 1\n", "x", name)
}

// A codeLine is what one line of a file says.
type codeLine struct {
	at     int
	tokens []string // a name has namePrefix before it
	text   string
}

// namePrefix is in no token of Go outside of strings.
const namePrefix = "\x00"

// codeOf returns the lines of a file that say something, without package and import clauses.
func codeOf(s *source) []codeLine {
	fset := token.NewFileSet()
	file := fset.AddFile(s.path, -1, len(s.text))
	var in scanner.Scanner
	in.Init(file, s.text, nil, 0)
	from := s.file.Name.End()
	for _, spec := range s.file.Imports {
		from = max(from, spec.End())
	}
	skip := int(from - s.file.FileStart)
	var lines []codeLine
	for {
		pos, tok, text := in.Scan()
		if tok == token.EOF {
			break
		}
		if file.Offset(pos) < skip || tok == token.SEMICOLON && text == "\n" {
			continue
		}
		if text == "" {
			text = tok.String()
		}
		if tok == token.IDENT {
			text = namePrefix + text
		}
		if at := file.Line(pos); len(lines) == 0 || lines[len(lines)-1].at != at {
			lines = append(lines, codeLine{at: at})
		}
		last := &lines[len(lines)-1]
		last.tokens = append(last.tokens, text)
	}
	lines = slices.DeleteFunc(lines, func(l codeLine) bool {
		return !slices.ContainsFunc(l.tokens, func(t string) bool {
			return !slices.Contains([]string{")", "}", "]", ",", "(", "{"}, t)
		})
	})
	for i := range lines {
		lines[i].text = strings.Join(lines[i].tokens, " ")
	}
	return lines
}

// shape returns what lines say with their names replaced by the order in which they come first.
func shape(lines []codeLine) string {
	var b strings.Builder
	number := map[string]int{}
	for _, l := range lines {
		for _, t := range l.tokens {
			if strings.HasPrefix(t, namePrefix) && len(l.tokens) > 1 {
				n, is := number[t]
				if !is {
					n = len(number)
					number[t] = n
				}
				t = namePrefix + strconv.Itoa(n)
			}
			b.WriteString(t)
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// A place is a line of code of a file.
type place struct{ file, line int }

// checkTwice compares each block with all before it, by windows that are just too long.
func checkTwice(t *tree, exceptions map[string]string) (findings []string) {
	var files []*source
	var code [][]codeLine
	for _, s := range t.goFiles() {
		if !s.test() && (shipped(s.dir()) || under(s.dir(), aside)) {
			files, code = append(files, s), append(code, codeOf(s))
		}
	}
	const window = mostTwice + 1
	earlier := map[string][]place{}
	begun := map[[2]place]bool{}
	used := map[string]bool{}
	for f, lines := range code {
		for i := range len(lines) - window + 1 {
			here, key := place{f, i}, shape(lines[i:i+window])
			for _, there := range earlier[key] {
				if there.file == f && there.line+window > i {
					continue // it overlaps itself
				}
				begun[[2]place{there, here}] = true
				if begun[[2]place{{there.file, there.line - 1}, {f, i - 1}}] {
					continue // of a block that was reported
				}
				a, b := code[there.file][there.line:], lines[i:]
				if there.file == f {
					a = a[:i-there.line]
				}
				n := window
				for n < min(len(a), len(b)) && shape(a[:n+1]) == shape(b[:n+1]) {
					n++
				}
				how := "again"
				if !slices.EqualFunc(a[:n], b[:n],
					func(x, y codeLine) bool { return x.text == y.text }) {
					how = "again with other names"
				}
				pair := files[f].path + ": as in " + files[there.file].path
				if exceptions[pair] != "" {
					used[pair] = true
					continue
				}
				findings = append(findings, fmt.Sprintf("%s:%d: %d lines stand %s at %s:%d: let "+
					"one piece of code serve, by a function or a type parameter, or enter %q in "+
					"twiceExceptions with the reason", files[there.file].path, a[0].at, n, how,
					files[f].path, b[0].at, pair))
			}
			earlier[key] = append(earlier[key], here)
		}
	}
	for key := range exceptions {
		if !used[key] {
			findings = append(findings,
				fmt.Sprintf("twiceExceptions: %q is needed no more: remove it", key))
		}
	}
	return findings
}

func TestTwiceExceptions(t *testing.T) {
	file := "package lockfree\n\nfunc f(a int) {\n" + block("a") + "}\n"
	tr := overlay(t, map[string]string{"lockfree/x.go": file, "lockfree/y.go": file})
	const key = "lockfree/y.go: as in lockfree/x.go"
	none(t, checkTwice(tr, map[string]string{key: "why"}))
	got := checkTwice(tr, map[string]string{key: "why",
		"lockfree/z.go: as in lockfree/x.go": "why"})
	if len(got) != 1 || !strings.Contains(got[0], "needed no more") {
		t.Errorf("a stale exception is no finding: %q", got)
	}
}

// TestMayStandTwice: eight lines, lists of names, and what differs in one name of many.
func TestMayStandTwice(t *testing.T) {
	enum := func(of string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "\nconst (\n\t%s0 int = iota\n", of)
		for i := range 12 {
			fmt.Fprintf(&b, "\t%s%d\n", of, i+1)
		}
		return b.String() + ")\n"
	}
	eight := strings.Replace(block("a"), "a++\n", "", 1)
	none(t, checkTwice(overlay(t, map[string]string{
		"lockfree/x.go": "package lockfree\n" + enum("a") + "\nfunc f(a int) {\n" + eight + "}\n",
		"lockfree/y.go": "package lockfree\n" + enum("b") + "\nfunc g(a, b int) {\n" + eight +
			"}\n",
		"lockfree/z.go": "package lockfree\n\nfunc h(a, b int) {\n" +
			strings.Replace(block("a"), "a == 10", "b == 10", 1) + "}\n",
		"lockfree/z_test.go": "package lockfree\n\nfunc t(a, b int) {\n" +
			strings.Replace(block("a"), "a == 10", "b == 10", 1) + "}\n",
	}), nil))
}
