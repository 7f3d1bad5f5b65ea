package watch

import "go.uber.org/goleak"

// Leaks notes which goroutines there are, and returns a check that says which have been started
// since and are not over; nil if there are none. The check gives them a moment, of about half a
// second, to end. Goroutines of others that run at the same time count as well, so this is not for
// parallel tests.
func Leaks() (check func() error) {
	before := goleak.IgnoreCurrent()
	return func() error { return goleak.Find(before) }
}
