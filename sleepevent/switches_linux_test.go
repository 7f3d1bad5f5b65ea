package sleepevent_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/sleepevent"
)

// TestSleepersDoNotWake counts the context switches of the threads of four sleeping workers over
// ten seconds, or a third of one in short form: an idle system makes no periodic wake-ups. All
// parkers are watched in the same window.
func TestSleepersDoNotWake(t *testing.T) {
	t.Parallel()
	window := 10 * time.Second
	if testing.Short() {
		window = time.Second / 3
	}
	var all []*sleepers
	for _, park := range parks {
		all = append(all, newSleepers(t, sleepevent.Options{Park: park.park}))
	}
	before := make([]uint64, len(all))
	for i, s := range all {
		before[i] = s.settle(t)
	}
	time.Sleep(window)
	for i, s := range all {
		n := s.switches(t) - before[i]
		t.Logf("%s: %d context switches in %v", parks[i].name, n, window)
		require.LessOrEqual(t, n, uint64(5), "%s", parks[i].name)
		require.EqualValues(t, len(s.threads), s.g.Stats().Parks)
		s.g.Close()
		s.ended.Wait()
	}
}

// sleepers are four workers that find nothing.
type sleepers struct {
	g       *sleepevent.Group
	threads [4]uint64
	ended   sync.WaitGroup
}

func newSleepers(t *testing.T, o sleepevent.Options) *sleepers {
	s := new(sleepers)
	s.g = sleepevent.NewGroup(len(s.threads), o)
	for i := range s.threads {
		s.g.BeginSearch()
		s.ended.Go(func() {
			// Locked, so that the thread that is counted is the worker's.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var err error
			if s.threads[i], err = osthread.ID(); err != nil {
				t.Error(err)
			}
			s.g.Idle(i, nothing)
		})
	}
	awaitSleep(s.g)
	return s
}

// switches returns how often the workers' threads were switched.
func (s *sleepers) switches(t *testing.T) (n uint64) {
	for _, id := range s.threads {
		voluntary, involuntary, err := osthread.SwitchesOf(id)
		require.NoError(t, err)
		n += voluntary + involuntary
	}
	return n
}

// settle waits until the last steps to sleep are over: all threads sleep, and the count stands
// still. A thread that only waits for a processor does not sleep.
func (s *sleepers) settle(t *testing.T) uint64 {
	n := s.switches(t)
	for same := 0; same < 4; {
		time.Sleep(20 * time.Millisecond)
		last := n
		if n = s.switches(t); n == last && s.asleep(t) {
			same++
		} else {
			same = 0
		}
	}
	return n
}

// asleep reports whether the kernel says that all of the workers' threads sleep.
func (s *sleepers) asleep(t *testing.T) bool {
	for _, id := range s.threads {
		text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/stat", id))
		require.NoError(t, err)
		_, state, _ := strings.Cut(string(text), ") ")
		if !strings.HasPrefix(state, "S") {
			return false
		}
	}
	return true
}
