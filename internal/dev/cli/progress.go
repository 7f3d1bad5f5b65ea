package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// A Progress keeps one line on a terminal up to date. A nil one shows nothing. It is for one
// goroutine at a time.
type Progress struct {
	w     io.Writer
	unit  string
	start time.Time
	width int // of the line that stands there
}

// newProgress returns nil if progress is not wanted, or if nobody said that it is and w is no
// terminal.
func newProgress(call *Call, unit string, w io.Writer) *Progress {
	if call.hide || !call.show && !isTerminal(w) {
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
	p.Show(line)
}

// Show writes over the line that stands there.
func (p *Progress) Show(line string) {
	if p == nil {
		return
	}
	pad := max(0, p.width-len(line))
	fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", pad))
	p.width = len(line)
}

// Clear takes the line away, if there is one.
func (p *Progress) Clear() {
	if p != nil && p.width > 0 {
		p.Show("")
		fmt.Fprint(p.w, "\r")
	}
}
