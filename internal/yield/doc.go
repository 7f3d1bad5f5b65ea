// Package yield lets loops that stay awake yield to goroutines that wait for a processor.
//
// A yield to nobody does harm: the Go scheduler then wakes a thread to look for work that does not
// exist, and that thread takes a processor from another. So ask first.
package yield
