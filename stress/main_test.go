package stress_test

import (
	"testing"

	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
