package main

import (
	"testing"
	"time"

	"github.com/heddle-go/heddle/internal/dev/clitest"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) { watch.Main(m) }

// command calls the command in this process.
func command(t *testing.T, args ...string) clitest.Outcome[report] {
	t.Helper()
	return clitest.Call[report](t, synthesizer(), args...)
}

// A script is a clock that moves only when somebody waits, or works, and a little when it is looked
// at.
type script struct {
	at    time.Time
	slept []time.Duration
}

// glance is how much later it is when somebody looks.
const glance = time.Microsecond

func (s *script) clock() clock {
	return clock{func() time.Time { s.at = s.at.Add(glance); return s.at }, func(d time.Duration) {
		s.at = s.at.Add(d)
		s.slept = append(s.slept, d)
	}}
}
