package short

import (
	"flag"
	"testing"
)

// The flags are parsed later, so that one that is given still counts.
func init() {
	testing.Init()
	if err := flag.Set("test.short", "true"); err != nil {
		panic(err)
	}
}

// Scaled shortens what a test does n times, in its short form.
func Scaled(n int) int {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}
