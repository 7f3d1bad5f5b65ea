// Package pending keeps things that end by themselves at some time, or together with their owner if
// that ends first. README.md has the protocol and its proof.
package pending
