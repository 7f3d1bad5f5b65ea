// Package joins says who runs a forked call, its body or a thief, and when the body may go on.
// README.md has the protocol and its proof.
package joins
