package modelcheck

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// sources find the expressions of the source for the steps of a trace.
type sources struct {
	files map[string][]string // lines
	sites map[site]*calls
	names map[uint16]string // what a word is called first
}

// A site is what the runtime knows of the place of a step, which may have several calls of one
// kind.
type site struct {
	function, file string
	line           int
	op             op
}

// calls are the places in the code of a site, in the order in which they were reached, and the
// expressions in its line, in the order of evaluation.
type calls struct {
	pcs   []uintptr
	words []word
}

// A word is an expression that a method is called on.
type word struct {
	text        string
	end         int  // where the call ends
	conditional bool // it may be skipped
}

func newSources(rows []row) *sources {
	src := &sources{files: map[string][]string{}, sites: map[site]*calls{},
		names: map[uint16]string{}}
	for i := range rows {
		at, pc, ok := siteOf(&rows[i])
		if !ok {
			continue
		}
		c := src.sites[at]
		if c == nil {
			c = &calls{words: wordsOf(src.line(at.file, at.line), at.op)}
			src.sites[at] = c
		}
		if !slices.Contains(c.pcs, pc) {
			c.pcs = append(c.pcs, pc)
		}
	}
	for i := range rows {
		r := &rows[i]
		if at, pc, ok := siteOf(r); ok && src.names[r.ev.word] == "" {
			if what := src.sites[at].word(pc); !strings.Contains(what, " or ") {
				src.names[r.ev.word] = what
			}
		}
	}
	return src
}

// siteOf returns where the source has a step, or fails a model.
func siteOf(r *row) (at site, pc uintptr, ok bool) {
	frames := runtime.CallersFrames(r.pcs[:])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "modelcheck.(*Engine).execute") {
			return site{}, 0, false // what is outside of the model
		}
		if f.File != "" && !ownFrame(f.Function) {
			o := r.ev.op
			if o == opCASFailed {
				o = opCAS
			}
			return site{f.Function, f.File, f.Line, o}, f.PC, true
		}
		if !more {
			return site{}, 0, false
		}
	}
}

// place returns what the source calls the word of a step, or calls it elsewhere if it does not say,
// and where the step is.
func (src *sources) place(r *row) (what, where string) {
	at, pc, ok := siteOf(r)
	if ok {
		what = src.sites[at].word(pc)
		where = fmt.Sprintf("%s:%d", filepath.Base(at.file), at.line)
	}
	if what == "" {
		what = src.names[r.ev.word]
	}
	switch {
	case what == "":
		what = fmt.Sprintf("word%d", r.ev.word)
	case strings.Contains(what, " or "):
		what = fmt.Sprintf("(%s: word%d)", what, r.ev.word)
	}
	return what, where
}

// word returns the expression of the call at a place in the code. If there are several, the order
// in which the places were reached tells which, as long as none may be skipped, because it is the
// order of evaluation; if all were reached, their order in the code does. If neither tells, word
// returns all.
func (c *calls) word(pc uintptr) string {
	texts := make([]string, len(c.words))
	for i := range c.words {
		texts[i] = c.words[i].text
	}
	i := slices.Index(c.pcs, pc)
	conditional := slices.ContainsFunc(c.words[:min(i+1, len(c.words))], func(w word) bool {
		return w.conditional
	})
	switch {
	case len(c.pcs) > len(c.words):
	case !conditional:
		return texts[i]
	case len(c.pcs) == len(c.words):
		inCode := slices.Sorted(slices.Values(c.pcs))
		return texts[slices.Index(inCode, pc)]
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), " or ")
}

// line returns a line of a file, "" if it cannot be read: the trace has numbers instead of names
// then.
func (src *sources) line(file string, line int) string {
	lines, ok := src.files[file]
	if !ok {
		text, _ := os.ReadFile(file)
		lines = strings.Split(string(text), "\n")
		src.files[file] = lines
	}
	if line > len(lines) {
		return ""
	}
	return lines[line-1]
}

// methods are the names of the methods for each kind of step.
var methods = map[op]string{
	opLoad: ".Load(", opStore: ".Store(", opSwap: ".Swap(", opCAS: ".CompareAndSwap(",
	opAdd: ".Add(", opAnd: ".And(", opOr: ".Or(",
}

// wordsOf returns the expressions on which a line calls for steps of a kind, in the order of
// evaluation: a call is made after those in its operands, so in the order of their ends.
func wordsOf(line string, o op) (words []word) {
	method := methods[o]
	for at := 0; method != ""; {
		i := strings.Index(line[at:], method)
		if i < 0 {
			break
		}
		dot := at + i
		at = dot + len(method)
		words = append(words, word{
			text: operand(line, dot), end: endOfCall(line, at),
			conditional: strings.Contains(line[:dot], "&&") || strings.Contains(line[:dot], "||"),
		})
	}
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.end, b.end) })
	return words
}

// operand returns the expression in front of the dot of a call.
func operand(line string, dot int) string {
	start, depth := dot, 0
	for ; start > 0; start-- {
		c := line[start-1]
		if c == ']' || c == ')' {
			depth++
		} else if (c == '[' || c == '(') && depth > 0 {
			depth--
		} else if depth == 0 && c != '.' && c != '_' && (c < '0' || c > '9') &&
			(c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
	}
	return line[start:dot]
}

// endOfCall returns where the parenthesis ends that is open at a place; if that is on a later line,
// the first to open is the last to end.
func endOfCall(line string, at int) int {
	depth := 1
	for i := at; i < len(line); i++ {
		switch line[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 2*len(line) - at
}

// ownFrame reports whether a function belongs to the checker or its seam.
func ownFrame(function string) bool {
	for _, p := range []string{"/internal/modelcheck.", "/internal/atomics.",
		"/stress/modelcheck/atomic.", "/stress/modelcheck."} {
		if strings.Contains(function, p) && !strings.Contains(function, ".Test") &&
			!strings.Contains(function, ".Example") {
			return true
		}
	}
	return strings.HasPrefix(function, "runtime.")
}
