package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// progress keeps one line on a terminal up to date. A nil progress shows nothing.
type progress struct {
	w     io.Writer
	width int // of the line that stands there
	done  int // workloads
	total int
}

// newProgress returns nil unless w is a terminal.
func newProgress(w io.Writer, total int) *progress {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return &progress{w: w, total: total}
}

// at says what runs now.
func (p *progress) at(workload, runtime string, pair, pairs int) {
	if p != nil {
		p.put(fmt.Sprintf("%d of %d: %s, turn %d of %d: %s", p.done+1, p.total, workload, pair, pairs, runtime))
	}
}

// say shows what is going on beside.
func (p *progress) say(what string) {
	if p != nil {
		p.put(what)
	}
}

// finished counts a workload.
func (p *progress) finished() {
	if p != nil {
		p.done++
	}
}

// clear takes the line away.
func (p *progress) clear() {
	if p != nil {
		p.put("")
		fmt.Fprint(p.w, "\r")
	}
}

// put writes over the line that stands there.
func (p *progress) put(line string) {
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", max(0, p.width-len(line))))
	p.width = len(line)
}
