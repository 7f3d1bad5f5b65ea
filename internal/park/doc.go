// Package park puts one goroutine to sleep until another wakes it, as fast as the platform
// can and without harm to the goroutines that have nothing to do with it.
//
// A thread that waits in the kernel is woken several times faster than a goroutine that waits in
// the Go scheduler, but a wait made through an ordinary system call keeps its P until the runtime's
// monitor takes it away, and meanwhile nothing else runs there. A [Parker] therefore gives its P
// away before it waits, where the platform allows that. docs/adr/0001-parker-linkname.md holds the
// choice and its price.
package park
