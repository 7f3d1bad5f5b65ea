package main

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// An edit is one small change of one shipped file.
type edit struct {
	pkg  string // "./lockfree"
	path string // "lockfree/stack.go"
	in   string // "Stack.Pop": the function that holds it
	kind kind
	old  string // what stands there, short
	new  string // what comes instead, short; it may be empty
	n    int    // which of those that are otherwise the same, from 1

	file    int // in source.files
	at, end int // bytes of the file
	text    string
}

// A kind says what an edit does.
type kind string

const (
	kindStore  kind = "store"  // an atomic change is left out
	kindCall   kind = "call"   // a call that touches shared words, or wakes, is left out
	kindSwap   kind = "swap"   // two adjacent steps change places
	kindReturn kind = "return" // the function returns before a step
	kindSplit  kind = "split"  // one atomic step becomes a load and a store
	kindFlag   kind = "flag"   // a flag, a mark or a count is left out of a word
	kindCheck  kind = "check"  // a check of shared state is left out
	kindNegate kind = "negate" // a condition on shared state is negated
	kindBound  kind = "bound"  // a bound is off by one
	kindResult kind = "result" // true is returned for false, or the other way round
)

// id names an edit. It outlives changes elsewhere in the file, and of comments and spacing.
func (e *edit) id() string {
	id := fmt.Sprintf("%s: %s: %s: %s", e.path, e.in, e.kind, e.old)
	if e.new != "" {
		id += " -> " + e.new
	}
	if e.n > 1 {
		id += fmt.Sprintf(" #%d", e.n)
	}
	return id
}

// apply returns the edited text of the file.
func (e *edit) apply(text string) string { return text[:e.at] + e.text + text[e.end:] }

// brief is code on one line, without comments; of long code, the beginning and a hash of all.
func brief(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words = append(words, strings.Fields(line)...)
	}
	const most = 72
	all := strings.Join(words, " ")
	if len(all) <= most {
		return all
	}
	h := fnv.New32a()
	h.Write([]byte(all))
	return fmt.Sprintf("%s… %08x", all[:most-12], h.Sum32())
}
