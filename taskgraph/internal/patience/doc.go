// Package patience says for how long the waits of goroutines from outside spin, where a processor
// that one of them has may be missed by a worker.
package patience
