package watch

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// reportLimit is how long one who is asked for a report may take.
const reportLimit = 2 * time.Second

// Dump returns the stacks of all goroutines, and then says what each of what has to say, in
// the order given:
//
//   - of one with a method Shutdown(context.Context) error, such as a taskgraph.System, what
//     Shutdown returns under a canceled context: that names what is stuck. So it ends
//     what it looks at.
//   - of a func() string, what it returns;
//   - of anything else, what [fmt.Print] would print.
//
// One that does not answer within two seconds is said to hang too.
func Dump(what ...any) string {
	var b strings.Builder
	b.Write(stacks()) // before anything is ended
	for _, w := range what {
		said := make(chan string, 1)
		go func() { said <- say(w) }()
		select {
		case text := <-said:
			fmt.Fprintf(&b, "\n%s\n", strings.TrimSuffix(text, "\n"))
		case <-time.After(reportLimit):
			fmt.Fprintf(&b, "\nno report: a %T does not answer\n", w)
		}
	}
	return b.String()
}

// say asks one for its report.
func say(what any) string {
	switch w := what.(type) {
	case interface{ Shutdown(context.Context) error }:
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return fmt.Sprintf("%T: %v", what, w.Shutdown(ctx))
	case func() string:
		return w()
	}
	return fmt.Sprint(what)
}

// stacks returns the stacks of all goroutines, up to 64 MiB.
func stacks() []byte {
	for size := 1 << 20; ; size *= 4 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size >= 1<<26 {
			return buf[:n]
		}
	}
}
