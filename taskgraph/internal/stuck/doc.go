// Package stuck finds out which of the things that wait for each other can make no progress any
// more, and why, and says so in texts and drawings. It knows a store of events, shown waits, and
// what whoever walks over a system tells it; it does not know the system.
package stuck
