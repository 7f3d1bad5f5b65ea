// Package capacity counts what there may be only so much of at a time, and lets goroutines that
// can wait block for room. README.md has the protocol and its proof.
package capacity
