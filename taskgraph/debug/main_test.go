package debug_test

import (
	"testing"
	"time"

	"github.com/heddle-go/heddle/stress/watch"
)

const (
	hang = time.Minute
	tick = time.Millisecond
)

func TestMain(m *testing.M) { watch.Main(m) }
