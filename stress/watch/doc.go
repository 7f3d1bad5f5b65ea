// Package watch makes hangs and leaks visible: a test that waits for ever ends with the stacks
// of all goroutines and what a stuck system has to say, and goroutines that outlast a test
// are named. It knows nothing of what it watches, so that any package can use it in tests.
//
// A test calls [Test] first. [Hangs], [Leaks] and [Dump] are its parts, for programs and for
// parts of a test.
package watch
