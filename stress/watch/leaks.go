package watch

import (
	"fmt"
	"os"
	"strings"

	"go.uber.org/goleak"
)

// Leaks notes which goroutines there are, and returns a check that says which have been started
// since and are not over; nil if there are none. The check gives them some time to end: about five
// seconds if all of them block, and a minute while one of them has yet to get a processor, as
// happens on a busy machine. Goroutines of others that run at the same time count as well, so this
// is not for parallel tests.
func Leaks() (check func() error) { return leaks(patience) }

// Main runs the tests of a package, and fails if they pass but leave goroutines that do not end
// within the time that [Leaks] gives them. TestMain calls it. It does not return.
func Main(m interface{ Run() int }, ignore ...goleak.Option) {
	status := m.Run()
	if status == 0 {
		if err := find(patience, ignore...); err != nil {
			fmt.Fprintf(os.Stderr, "watch: the tests leave goroutines: %v\n", err)
			status = 1
		}
	}
	os.Exit(status)
}

// leaks is Leaks with the given number of looks.
func leaks(looks int) (check func() error) {
	before := goleak.IgnoreCurrent()
	return func() error { return find(looks, before) }
}

// find looks for goroutines until there are none, or until it has seen all of them blocked looks
// times.
func find(looks int, ignore ...goleak.Option) (err error) {
	for total := 0; looks > 0 && total < mostLooks; total++ {
		if err = goleak.Find(ignore...); err == nil {
			return nil
		}
		if !strings.Contains(err.Error(), " in state run") { // running, or runnable
			looks--
		}
	}
	return err
}

// patience is how often goleak looks, each time for about half a second, and mostLooks how often it
// does while a goroutine does not block.
const patience, mostLooks = 10, 120
