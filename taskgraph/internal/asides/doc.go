// Package asides has goroutines that do something in the place of others, so that a Goexit does not
// end these. README.md has the protocol and its proof.
package asides
