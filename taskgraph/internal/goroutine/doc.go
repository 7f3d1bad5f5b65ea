// Package goroutine identifies goroutines and shows their stacks, for reports. It parses the text
// of stack traces, since the runtime offers no other way.
package goroutine
