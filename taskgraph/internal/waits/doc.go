// Package waits has what a wait shows of itself to others: for what it is, on top of what, and how
// to make it look again. Reports read it, the end of a shutdown, and named threads that run what
// others wait for. README.md says what they can rely on.
package waits
