package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// A Progress keeps one line on a terminal up to date. A nil one shows nothing.
type Progress struct {
	w     io.Writer
	unit  string
	start time.Time
	width int // of the line that stands there
}

// newProgress returns nil unless progress is wanted and w is a terminal.
func newProgress(wanted bool, unit string, w io.Writer) *Progress {
	if !wanted || !isTerminal(w) {
		return nil
	}
	return &Progress{w: w, unit: unit, start: time.Now()}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// At says that what has this name begins, after done units of total.
func (p *Progress) At(name string, done, total int) {
	if p == nil {
		return
	}
	line := fmt.Sprintf("%s %d of %d: %s", p.unit, done+1, total, name)
	if done > 0 {
		left := time.Since(p.start) / time.Duration(done) * time.Duration(total-done)
		line += fmt.Sprintf(", about %v left", left.Round(time.Second))
	}
	p.put(line)
}

// Clear takes the line away.
func (p *Progress) Clear() {
	if p != nil {
		p.put("")
		fmt.Fprint(p.w, "\r")
	}
}

// put writes over the line that stands there.
func (p *Progress) put(line string) {
	pad := max(0, p.width-len(line))
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", pad))
	p.width = len(line)
}
