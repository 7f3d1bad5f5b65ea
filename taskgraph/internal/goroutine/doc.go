// Package goroutine tells goroutines apart and shows where they are, for reports. It reads the text of
// stack traces, since the runtime tells neither otherwise.
package goroutine
