// Package stuck finds out which of the things that wait for each other can make no progress any
// more, and why. It knows only a snapshot of a system, not the system.
package stuck
