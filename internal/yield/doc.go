// Package yield lets goroutines run that wait for a processor, from loops that stay awake.
//
// A goroutine that yields to nobody does harm: the Go scheduler then wakes a thread to look for
// work that there is not, and that thread takes a processor from somebody. So ask first.
package yield
