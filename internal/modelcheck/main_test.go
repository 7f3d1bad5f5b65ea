package modelcheck_test

import (
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/modelcheck"
)

// childKey names the environment variable that turns the test binary into a program that is
// to die, or to be judged by the race detector.
const childKey = "MODELCHECK_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childKey); name != "" {
		modelcheck.SetPatience(200 * time.Millisecond)
		children[name]()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
