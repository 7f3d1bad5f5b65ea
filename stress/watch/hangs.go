package watch

import (
	"fmt"
	"os"
	"time"
)

// Limit is the limit of [Test], and of [Hangs] where 0 is given: far longer than a test takes
// that does not hang, so that it decides nothing else.
const Limit = 3 * time.Minute

// Hangs ends the process if stop is not called within the limit, 0 for [Limit]. What hangs
// cannot be unwound. Before, it writes a [Dump] of what to standard error. stop may be called
// by any goroutine and more than once, and returns at once.
func Hangs(limit time.Duration, what ...any) (stop func()) {
	if limit == 0 {
		limit = Limit
	}
	timer := time.AfterFunc(limit, func() {
		fmt.Fprintf(os.Stderr, "watch: not over after %v\n%s", limit, Dump(what...))
		os.Exit(hangStatus)
	})
	return func() { timer.Stop() }
}

// hangStatus is the exit status of a process that hangs, that of one that panics.
const hangStatus = 2
