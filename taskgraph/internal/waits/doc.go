// Package waits has what a wait shows to other goroutines: what it is for, on top of which tasks it
// runs, and how to make it look again. Readers are reports, the end of a shutdown, and named
// threads that run work for which others wait. README.md says what readers can rely on.
package waits
