package faults

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm/internal/clock"
	"github.com/heddle-go/heddle/farm/internal/history"
	"github.com/heddle-go/heddle/farm/internal/proc"
)

// obey does what every process does that hears "jump" and seconds: its wall clock is from then on
// so late or early, and it says what time it is. It reports whether that was the line.
func obey(c *proc.Child, line string) bool {
	rest, ok := strings.CutPrefix(line, "jump ")
	if !ok {
		return false
	}
	seconds, err := strconv.ParseInt(rest, 10, 64)
	must(err)
	jump(seconds)
	// Of the whole process: also a time that is made without the monotonic clock.
	c.Say(fmt.Sprint("now ", time.Now().Unix()))
	return true
}

// jump sets the clock of a process, and makes sure that it goes so.
func (w *world) jump(p *proc.Process, by time.Duration) {
	require.NoError(w, p.Tell(fmt.Sprint("jump ", int64(by/time.Second))))
	said, err := strconv.ParseInt(w.hear(p, "now "), 10, 64)
	require.NoError(w, err)
	off := time.Unix(said, 0).Sub(time.Now().Round(0)) - by
	require.Less(w, off.Abs(), time.Hour/2, "the clock has not jumped")
}

// TestClock sets the clock of a worker, the client and the server, each in turn, forwards by an
// hour, backwards by two, and right again, in the middle of jobs that have a time limit of ten
// minutes. What the server drops by its clock is queued again.
func TestClock(t *testing.T) {
	w := newWorld(t)
	program, err := clock.BuildTest(t.TempDir())
	require.NoError(t, err)
	w.program = program
	s := w.server("server", nil)
	c := w.config(urlOf(s.addr()))
	c.Timeout = 10 * time.Minute
	a, b := w.worker("a", c), w.worker("b", c)
	w.hear(a, "ready")
	client := w.client("client", c, mix{N: 900, Seed: *soakSeed, Steady: true, Sleep: 10})
	w.hear(client, "ready")
	done := 0
	for _, p := range []*proc.Process{a, client, s.Process} {
		for _, by := range []time.Duration{time.Hour, -time.Hour, 0} {
			done += 80
			w.atLeast(done, history.Complete, "client")
			w.jump(p, by)
		}
	}
	v, _ := w.finish(client, history.Rules{}, a, b, s.Process)
	require.Equal(t, 900, v.Completed)
	require.Zero(t, v.Failed)
}
