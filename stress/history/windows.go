package history

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// WindowSlots is the number of windows that are played between two waits, see Windows.Prepare.
const WindowSlots = 32

// windowBeat is the time in nanoseconds to whose multiples most calls of a window wait, so that
// calls of threads that run at the same time overlap. It is several times what a call of a
// container takes. This needs no memory that they share, so it synchronizes nothing.
const windowBeat = 512

// windowPatience is how many times a thread looks for the others before a window that is not
// the first of its round.
const windowPatience = 512

// Windows makes many short histories of containers C: some goroutines begin at about the same
// time, make a few calls each, and when all are done the history is judged. What is random
// comes from a source of its own for each window and thread, so that a window makes the same
// calls in each run.
//
// Each field but Drain and Limit must be set.
type Windows[C any] struct {
	// Threads is the number of goroutines. The caller of Play is thread 0.
	Threads int
	// Count is the number of windows.
	Count int
	// Limit ends Play after that time, but not before a tenth of the windows. 0 means none.
	Limit time.Duration

	// Prepare is called before each window, when no window is played, and returns its
	// container. WindowSlots windows are played at a time, and slot, from 0 on, tells them
	// apart: what one of them is given may be used again in the same slot, but in no other.
	Prepare func(slot int) C
	// Calls makes the calls of one thread in a window.
	Calls func(c C, log *Log, rnd *rand.Rand)
	// Drain is called after each window, alone, with the log of one more thread: it may
	// take what is left, so that what was lost shows. Nil means nothing.
	Drain func(c C, log *Log)
	// Judge is called after each window, alone, with what all called. If it returns false,
	// Play ends. It may end the goroutine, as the FailNow of a test does.
	Judge func(calls []Call) bool
}

// A slot is where a window is played.
type slot[C any] struct {
	c       C
	r       *Recorder
	arrived atomics.Uint32
}

// Play makes the windows. It returns how many it made, and how many pairs of calls of different
// threads overlapped in them: if these are few, little was tried. The goroutines that it
// starts are over when it returns.
func (w *Windows[C]) Play() (played, overlaps int) {
	// A round is one window in each slot. Thread 0 is alone until it makes round count on,
	// and again from when all others have added themselves to finished. All wait for each
	// other before the first window of a round; before the others, too, but not for long: if
	// a thread was put aside by the operating system, its calls come late and overlap
	// nothing, which is no mistake, and cheaper than to wait.
	var slots [WindowSlots]slot[C]
	for i := range slots {
		slots[i].r = NewRecorder(w.Threads+1, MaxCalls)
		for thread := range w.Threads {
			slots[i].r.Log(thread).beat = windowBeat
		}
	}
	var round, finished atomics.Uint64
	var stop atomics.Bool
	play := func(thread, first, n int) {
		source := rand.NewPCG(0, 0)
		rnd := rand.New(source)
		for i := range n {
			s := &slots[i]
			source.Seed(uint64(first+i), uint64(thread))
			s.arrived.Add(1)
			for looks := 0; (i == 0 || looks < windowPatience) &&
				s.arrived.Load() < uint32(w.Threads); looks++ {
				relax(looks)
			}
			w.Calls(s.c, s.r.Log(thread), rnd)
		}
	}
	size := func(first int) int { return min(WindowSlots, w.Count-first) }
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop.Store(true)
	for thread := 1; thread < w.Threads; thread++ {
		wg.Go(func() {
			first := 0
			for next := uint64(1); ; next++ {
				await(func() bool { return round.Load() == next || stop.Load() })
				if stop.Load() {
					return
				}
				play(thread, first, size(first))
				first += WindowSlots
				finished.Add(1)
			}
		})
	}

	begin := atomics.Now()
	for done := uint64(1); played < w.Count; done++ {
		if w.Limit > 0 && played >= w.Count/10 && atomics.Now()-begin > int64(w.Limit) {
			break
		}
		n := size(played)
		for i := range n {
			slots[i].r.Reset()
			slots[i].arrived.Store(0)
			slots[i].c = w.Prepare(i)
		}
		round.Store(done)
		play(0, played, n)
		await(func() bool { return finished.Load() == done*uint64(w.Threads-1) })
		for i := range n {
			s := &slots[i]
			if w.Drain != nil {
				w.Drain(s.c, s.r.Log(w.Threads))
			}
			calls := s.r.Calls()
			played++
			overlaps += overlapping(calls)
			if !w.Judge(calls) {
				return played, overlaps
			}
		}
	}
	return played, overlaps
}

// relax is what a goroutine does between two looks at what it waits for. It does not block at
// first, since one that has to be woken comes too late for calls of this length.
func relax(looks int) {
	switch {
	case looks > 2000:
		time.Sleep(50 * time.Microsecond) // the machine has other things to do
	case looks%8 == 7:
		atomics.Gosched()
	default:
		atomics.Pause(8)
	}
}

// await waits until done returns true.
func await(done func() bool) {
	for looks := 0; !done(); looks++ {
		relax(looks)
	}
}

// overlapping counts the pairs of calls of different threads that overlap.
func overlapping(calls []Call) (n int) {
	for i := range calls {
		for j := range i {
			if calls[i].Thread != calls[j].Thread && calls[i].Overlaps(&calls[j]) {
				n++
			}
		}
	}
	return n
}
