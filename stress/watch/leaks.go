package watch

import "go.uber.org/goleak"

// Leaks notes which goroutines there are, and returns a check that says which have been started
// since and are not over; nil if there are none. The check gives them some time to end, about one
// and a half seconds: on a busy machine a goroutine may not have had a processor for longer than
// goleak waits. Goroutines of others that run at the same time count as well, so this is not for
// parallel tests.
func Leaks() (check func() error) { return leaks(patience) }

// leaks is Leaks for so many looks.
func leaks(looks int) (check func() error) {
	before := goleak.IgnoreCurrent()
	return func() (err error) {
		for range looks {
			if err = goleak.Find(before); err == nil {
				break
			}
		}
		return err
	}
}

// patience is how often goleak looks, each time for about half a second.
const patience = 3
