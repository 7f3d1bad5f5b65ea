package modelcheck_test

import (
	"os"
	"testing"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

// childKey names the environment variable that turns the test binary into a program that is
// to die, or to be judged by the race detector.
const childKey = "MODELCHECK_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childKey); name != "" {
		children[name]()
		os.Exit(0)
	}
	watch.Main(m)
}
