// Package capacity bounds how many things of a kind there may be at a time, and lets goroutines
// block until there is room. README.md has the protocol and its proof.
package capacity
