package debug_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

const (
	hang = time.Minute
	tick = time.Millisecond
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
