//go:build race

package frame

// raced says that the race detector is at work, and everything ten times as slow.
const raced = true
