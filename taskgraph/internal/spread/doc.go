// Package spread parts two goroutines whose threads share a processor while another one idles: it
// is a hint on which nothing relies. README.md has the steps.
package spread
