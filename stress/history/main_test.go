package history_test

import (
	"testing"

	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/short"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scaled shortens a test under -short.
func scaled(n int) int {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}
