package sleepevent

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/spin"
)

// A Group is the idle set of a pool of workers, numbered from 0. It wakes drowsing workers
// before sleeping ones and the lowest number first within each.
//
// Make one with NewGroup. A Group must not be copied.
//
// # Concurrency
//
// Idle and IdleTimeout for one worker are for the goroutine that is that worker; all other methods
// may be called by anybody. What a goroutine wrote before a Wake, WakeN, WakeWorker, WakeAll or
// Close that woke a worker is visible to that worker when its Idle returns. Work itself must travel
// through a queue that synchronizes: a wake that does nothing orders nothing.
//
// The contract that makes wakes reliable, all three parts needed:
//
//   - Work is published first, then Wake is called.
//   - A worker calls Idle only while counted as searching, and its rescan looks at every
//     place where work that Wake announces can be. Every worker of a Group must be able to
//     run whatever Wake announces: a pool with work for some workers only needs a Group for
//     each kind, or WakeWorker.
//   - A worker that stops searching, because it found something or because it leaves for
//     good, calls EndSearch, then looks whether more work is queued, and if so calls Wake.
//
// # Progress
//
// Idle blocks. Wake, WakeN and WakeWorker are lock-free: a retry means that another waker or worker
// changed the idle set or the count. WakeAll makes one WakeWorker for each worker. BeginSearch and
// EndSearch are wait-free.
//
// # Cost
//
// Nothing allocates after NewGroup, except an IdleTimeout that has to sleep on a sync.Cond. A Wake
// that does nothing is two loads of one
// cache line (one more load for each further 32 workers); it is meant to be called for each
// piece of work. One that wakes makes three read-modify-writes, and for a sleeper two more and a
// kernel call; WakeN shares two of the three among the workers of a word. A worker costs about
// three cache lines, and while it sleeps in the kernel an OS thread: see NewGroup.
//
// # Linearizability
//
// The idle set is an atomic set: a wake that wakes takes effect at its claim. WakeNone means that
// each worker was seen not idle at some moment inside the call, not all at one moment; README.md
// shows why that loses nothing. IdleCount, Searching and State are hints.
type Group struct {
	// README.md holds the protocol: its steps, which idle.go and wake.go name, and why the
	// invariants hold and nothing is lost.
	//
	//	I1 Only a worker's own Idle sets its bits, once a call. Its idle bit is cleared once a
	//	   call, by the atomic step that finds it set and clears it.
	//	I2 Whoever clears an idle bit accounts for one count of searching, which the worker
	//	   holds when its Idle returns. A waker counts before it clears.
	//	I3 A drowsing bit is set only together with its idle bit and cleared no later.
	//	I4 Each move of a worker's state from StateSleeping to StateRunning is made by one
	//	   waker, is followed by one Unpark by that waker, and ends one Park; or by the
	//	   worker itself at its time limit, and then there is neither.
	words   []atomics.Uint64 // hot.inline where it is large enough
	workers []worker
	full    int64 // drowse budget, ns
	max     int   // Options.MaxDrowsers

	kept kept // see KeepAwake

	_ cacheline.Pad

	// hot is what every waker reads and every change of the idle set writes: one cache line, so
	// that a hand-off moves only one.
	hot struct {
		searching atomics.Int32
		inline    [7]atomics.Uint64
	}

	_ cacheline.Pad

	closed      atomics.Bool
	drowsers    atomics.Int32
	kernelWakes atomics.Uint64
}

// perWord is the number of workers in a word: the low half holds their idle bits, the high
// half their drowsing bits, so that one step changes both.
const perWord = 32

// maxWorkers keeps the size of a Group within what 32 bits can address.
const maxWorkers = 1 << 20

// worker is the state of one worker, on its own cache lines.
type worker struct {
	state  atomics.Uint32 // a State
	parker park.Parker
	woken  atomics.Int64 // when a waker last ended StateSleeping
	limit  atomics.Int64 // when the sleep ends by itself

	// The worker's own.
	budget   spin.Budget // how long to drowse next time
	spinning spin.Wait

	// Written by the worker alone, read by Stats.
	parks, drowses, drowseWakes, withdrawals, swallowed, timeouts atomics.Uint64

	_ cacheline.Pad
}

// NewGroup returns a Group of the given number of workers, all running and none counted as
// searching. It panics if workers is less than 1 or more than 2^20, or an option is out of range.
// With ParkOS, on a platform that waits in the kernel, the first 1,024 workers sleep there, each on
// an OS thread; the others sleep in the Go scheduler, which wakes them less quickly. That is of
// each Group: the runtime ends a program that needs more than 10,000 threads.
func NewGroup(workers int, o Options) *Group {
	if workers < 1 {
		panic("sleepevent: NewGroup needs at least one worker")
	}
	if workers > maxWorkers {
		panic("sleepevent: NewGroup of more than 2^20 workers")
	}
	o = o.validate()
	g := &Group{
		workers: make([]worker, workers),
		full:    int64(o.DrowseBudget),
		max:     o.MaxDrowsers,
	}
	n := (workers + perWord - 1) / perWord
	if n <= len(g.hot.inline) {
		g.words = g.hot.inline[:n]
	} else {
		g.words = make([]atomics.Uint64, n)
	}
	for i := range g.workers {
		mode := modes[o.Park]
		if i >= park.MaxCrowd {
			mode = park.Go
		}
		g.workers[i].parker.Init(mode)
		g.workers[i].budget.Init(g.full, g.full/16)
	}
	return g
}

// Workers returns the number of workers.
func (g *Group) Workers() int { return len(g.workers) }

// WokenAgo returns how long ago somebody last woke the worker from its sleep, for a worker whose
// Idle has just returned; 0 if nobody ever did. That a worker was woken before it began to rest
// means that nobody woke it since: it had not slept, or its time was over. It reads the clock. It
// panics if there is no such worker.
func (g *Group) WokenAgo(worker int) time.Duration {
	w, _, _ := g.at(worker)
	woken := w.woken.Load()
	if woken == 0 {
		return 0
	}
	return time.Duration(max(1, atomics.Now()-woken))
}

// BeginSearch counts the caller as searching: until EndSearch or Idle, Wake relies on it to
// find what is published.
func (g *Group) BeginSearch() { g.hot.searching.Add(1) }

// EndSearch ends what BeginSearch, or the return from Idle, began. The caller then looks
// whether more work is queued, and if so calls Wake: wakes made while it was counted did
// nothing. It panics if nobody is counted.
func (g *Group) EndSearch() {
	if g.hot.searching.Add(-1) < 0 {
		g.uncounted()
	}
}

// uncounted undoes the step of a caller that was not counted, and panics.
func (g *Group) uncounted() {
	// As in wakeSlow: the count was wrong for a moment, and may have cost somebody a wake.
	g.hot.searching.Add(1)
	g.Wake()
	panic("sleepevent: EndSearch or Idle by a worker not counted as searching")
}

// KeepAwake makes the idle ones of the first n workers drowse for d, beginning after in, for work
// that comes then. Sleeping ones wake up at that time by timers of their own; a worker that would
// sleep longer is woken now, to set one. Unless Options.MaxDrowsers says how many workers drowse,
// it is one fewer than there are Ps during that time, instead of half as many. A worker that the
// timer wakes returns from Idle, and from an IdleTimeout whose limit is later with true, and comes
// back if it finds nothing. A call replaces an earlier one; in may be 0 or less, which is now. It
// is a hint: wakes work as always.
func (g *Group) KeepAwake(n int, in, d time.Duration) {
	from := later(atomics.Now(), int64(max(in, 0)))
	g.kept.n.Store(int32(min(max(n, 0), len(g.workers))))
	g.kept.until.Store(later(from, int64(max(d, 0))))
	g.kept.from.Store(from)
	for i := range int(g.kept.n.Load()) {
		w := &g.workers[i]
		if State(w.state.Load()) == StateSleeping && w.limit.Load() > from {
			g.WakeWorker(i)
		}
	}
}

// A kept says which workers should be awake when. It is a hint: a reader may see only a part of a
// change.
type kept struct {
	n           atomics.Int32 // workers with numbers below
	from, until atomics.Int64 // on the clock of atomics.Now
}

func (k *kept) has(worker int) bool { return worker < int(k.n.Load()) }

// awake reports whether the worker should be awake at the moment.
func (k *kept) awake(worker int, now int64) bool {
	return now < k.until.Load() && now >= k.from.Load() && k.has(worker)
}

// Close makes every Idle return, those that wait now and all later ones, at once. A worker
// must therefore look for its own reason to stop, or at Closed, each time that Idle returns,
// or it spins. Rescan is called no more. Wakes go on as before and find nobody. Close may be called
// again.
func (g *Group) Close() {
	g.closed.Store(true)
	g.WakeAll()
}

// Closed reports whether Close was called.
func (g *Group) Closed() bool { return g.closed.Load() }

// IdleCount returns how many workers are idle. It is a hint.
func (g *Group) IdleCount() int {
	n := 0
	for i := range g.words {
		n += bits.OnesCount32(uint32(g.words[i].Load()))
	}
	return n
}

// Searching returns how many workers are counted as searching, those included that a waker
// counted and that have not yet run. It is a hint.
func (g *Group) Searching() int { return int(g.hot.searching.Load()) }

// DrowsingCount returns how many idle workers drowse, so that a wake would take a moment only. It
// is a hint.
func (g *Group) DrowsingCount() int {
	n := 0
	for i := range g.words {
		n += bits.OnesCount32(uint32(g.words[i].Load() >> perWord))
	}
	return n
}

// State returns what the worker is doing. It is a hint. It panics if there is no such
// worker.
func (g *Group) State(worker int) State {
	w, _, _ := g.at(worker)
	return State(w.state.Load())
}

// Stats returns the counts so far.
func (g *Group) Stats() Stats {
	s := Stats{KernelWakes: g.kernelWakes.Load()}
	for i := range g.workers {
		w := &g.workers[i]
		s.DrowseWakes += w.drowseWakes.Load()
		s.Parks += w.parks.Load()
		s.Drowses += w.drowses.Load()
		s.Withdrawals += w.withdrawals.Load()
		s.Swallowed += w.swallowed.Load()
		s.Timeouts += w.timeouts.Load()
	}
	return s
}

// at returns the worker, the word that holds its bits, and its idle bit; the drowsing bit is
// perWord above that.
func (g *Group) at(i int) (w *worker, word *atomics.Uint64, idle uint64) {
	if uint(i) >= uint(len(g.workers)) {
		panic(fmt.Sprintf("sleepevent: worker %d out of range [0,%d)", i, len(g.workers)))
	}
	return &g.workers[i], &g.words[i/perWord], 1 << (i % perWord)
}
