// Package pending keeps what ends by itself some time, or with what it belongs to if that ends
// before. README.md has the protocol and its proof.
package pending
