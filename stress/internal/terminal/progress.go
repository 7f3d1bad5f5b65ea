package terminal

import (
	"fmt"
	"io"
	"os"
)

// Progress returns a function that shows one line and takes the last one away; it does nothing
// where nobody watches: where w is no terminal.
func Progress(w io.Writer) func(text string) {
	f, ok := w.(*os.File)
	if !ok {
		return func(string) {}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func(string) {}
	}
	return func(text string) { fmt.Fprintf(f, "\r\x1b[K%s", text) }
}
