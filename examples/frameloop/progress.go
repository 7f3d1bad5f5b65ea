package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// progress keeps one line on a terminal up to date. A nil progress shows nothing.
type progress struct {
	w     io.Writer
	start time.Time
	width int // of the line that stands there
}

// newProgress returns nil unless progress is wanted and w is a terminal.
func newProgress(o options, w io.Writer) *progress {
	if !o.progress || !isTerminal(w) {
		return nil
	}
	return &progress{w: w, start: time.Now()}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// at says that the contestant of the given name plays, after done frames of total.
func (p *progress) at(name string, done, total int) {
	if p == nil {
		return
	}
	line := fmt.Sprintf("frame %d of %d: %s", done+1, total, name)
	if done > 0 {
		left := time.Since(p.start) / time.Duration(done) * time.Duration(total-done)
		line += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	p.put(line)
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
	pad := max(0, p.width-len(line))
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", pad))
	p.width = len(line)
}
