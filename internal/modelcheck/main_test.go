package modelcheck_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// childKey names the environment variable that turns the test binary into a program that is
// to die, or to be judged by the race detector.
const childKey = "MODELCHECK_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childKey); name != "" {
		children[name]()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
