// Package stuck finds out, of things that wait for each other, which of them nothing brings on any
// more, and why. It knows what somebody has seen of a system, not the system.
package stuck
