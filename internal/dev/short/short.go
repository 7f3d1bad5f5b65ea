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
