package taskgraph

import (
	"math"
	"reflect"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/yield"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
	"github.com/heddle-go/heddle/taskgraph/internal/silence"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// BlockedTicks is how many ticks of the monitor it takes to see that a body blocks.
const BlockedTicks = silence.Blocked

// HiddenTicks is how many it takes where everybody may compute.
const HiddenTicks = silence.Hidden

// WatchTick is how long one takes at least.
const WatchTick = watchTick

// Probes returns how many ticks the monitor has begun.
func (s *System) Probes() uint32 { return s.kern.Probes() }

// LeaveUnwatched keeps the monitor asleep, so that no worker is added while a body blocks, or while
// a busy machine makes it look as if one did. It is called before anything is launched.
func (s *System) LeaveUnwatched() { s.kern.LeaveUnwatched() }

// Active returns how many workers are not idle.
func (s *System) Active() int {
	n, _ := s.kern.Activity()
	return n
}

// WatchForStuck returns what has a watchdog look, which does so only when it is called, and reports
// whether that has reported something.
func (s *System) WatchForStuck() (look func() (told bool)) {
	w := &watchdog{sys: s}
	return w.lookForStuck
}

// AwaitIdle returns when the system is idle.
func (s *System) AwaitIdle() {
	for idle, _ := s.kern.Quiet(); !idle; idle, _ = s.kern.Quiet() {
		atomics.Gosched()
	}
}

// EndAtOnce ends the system as a shutdown does that gives up and waits for nothing.
func (s *System) EndAtOnce() {
	s.door.Close()
	s.checks.Or(checkAbandoned)
	s.ending.Abandon()
	s.ending.EndSources()
	s.stop(false)
}

// GiveUpWhileActive gives up the run e of g, while somebody counts as active for a while. It
// reports whether it has waited for the end of that, and whether g can be launched again then.
func (s *System) GiveUpWhileActive(g *Graph, e Event) (waited, free bool) {
	var over atomics.Bool
	s.cutOff(g, e)
	s.kern.Enter()
	atomics.Go(func() {
		for range 1000 {
			atomics.Gosched()
		}
		over.Store(true)
		s.kern.Leave()
	})
	s.takeBack([]*Graph{g}, math.MaxInt)
	return over.Load(), !g.running.Load()
}

// Inspecting returns how many reports of what is stuck are being made.
func (s *System) Inspecting() int { return int(s.inspecting.Load()) }

// UnlistedWaiters returns how many idle waiters are not in the list of all.
func (s *System) UnlistedWaiters() (n int) {
	listed := map[*waits.Waiter]bool{}
	for w := range s.waiters.All {
		listed[w] = true
	}
	for _, mode := range []park.Mode{park.OS, park.Go} {
		for w, ok := s.waiters.Idle(mode); ok; w, ok = s.waiters.Idle(mode) {
			if !listed[w] {
				n++
			}
		}
	}
	return n
}

// LostParcels returns how many parcels are in use, and takes the others out of use.
func (s *System) LostParcels() int {
	_ = s.calls.IdleParcel() // so that there is one
	made, taken := uint32(0), 1
	for s.calls.ParcelAt(made) != nil {
		made++
	}
	for s.calls.IdleParcel().Number() < made {
		taken++
	}
	return int(made) - taken
}

// OrderedFrom is that of package plan.
const OrderedFrom = plan.OrderedFrom

// Numbers returns the first numbers of the tasks, in the order in which they lie; nil if that is as
// they were added.
func (g *Graph) Numbers() []uint32 {
	numbers, moved := make([]uint32, g.Len()), false
	for i := range numbers {
		numbers[i] = g.plan.First(uint32(i))
		moved = moved || numbers[i] != uint32(i)
	}
	if !moved {
		return nil
	}
	return numbers
}

// Dependents returns those of task i, as they lie, and of each the number of predecessors.
func (g *Graph) Dependents(i uint32) (tasks, counts []uint32) {
	var only [1]plan.Edge
	for _, e := range g.plan.Dependents(i, &only) {
		tasks, counts = append(tasks, e.To()), append(counts, g.plan.Predecessors(e))
	}
	return tasks, counts
}

// A Span is where something lies in memory. It keeps that alive, so that nothing else comes to lie
// there.
type Span struct {
	From, To uintptr
	of       any
}

func spanOf[T any](p *T) Span {
	v := reflect.ValueOf(p)
	return Span{v.Pointer(), v.Pointer() + v.Elem().Type().Size(), p}
}

// ForkSpans returns where new records of forks lie.
func (s *System) ForkSpans() (spans []Span) {
	for _, k := range s.forks.More() {
		spans = append(spans, spanOf(k))
	}
	return spans
}

// RunnerSpans returns where the records of new runners lie, with the contexts of bodies on two
// depths.
func (s *System) RunnerSpans(count int) (spans []Span) {
	for range count {
		r := s.newRunner(s.kern.Slots()[0])
		spans = append(spans, spanOf(r), spanOf(r.Runner), spanOf(r.push(Event{})),
			spanOf(r.push(Event{})))
	}
	return spans
}

// BundleSpans returns where new bundles lie.
func (s *System) BundleSpans(count int) (spans []Span) {
	for range count {
		spans = append(spans, spanOf(s.calls.Lone(nil, func() {}, 0, false)))
	}
	return spans
}

// OwnerSpans returns where that part of the owners of slots lies that their holders write all the
// time.
func (s *System) OwnerSpans() (spans []Span) {
	for _, slot := range s.kern.AllSlots() {
		o := ownerOf(slot)
		from := reflect.ValueOf(o).Pointer()
		spans = append(spans, Span{from, from + reflect.ValueOf(&o.bundles).Pointer() - from, o})
	}
	return spans
}

// Drowses returns how often a worker began to drowse.
func (s *System) Drowses() uint64 { return s.kern.Stats().Drowses }

// Awake returns how many workers run tasks, search or drowse.
func (s *System) Awake() int { return s.kern.Awake() }

// SetAlone has the next runs of g go alone.
func SetAlone(g *Graph) { g.pace.Settle(true) }

// SetByRank has the next run of g go by rank, if it may.
func SetByRank(g *Graph) { g.list.Settle(true) }

// AllowByRank lets graphs go by rank although no wait spins, before anything is launched.
func AllowByRank(s *System) { s.pair = true }

// IsByRank reports whether the last run of g did.
func IsByRank(g *Graph) bool { return g.listed }

// BeginTrial has the next run of g begin a trial.
func BeginTrial(g *Graph) { g.pace.Retry() }

// InTrial reports whether the run of g that goes on is one of a trial.
func InTrial(g *Graph) bool { return g.pace.InTrial() }

// Spins reports whether waits of s spin, so that two workers can be at work at the same time.
func Spins(s *System) bool { return s.spin }

// MayCompute says what a system takes of a load, with no body at work.
func MayCompute(l *yield.Load) bool { return new(System).mayCompute(l, 0) }

// Stirs returns how often edges have made th look again while it waited.
func (s *System) Stirs(th *namedthread.Thread) uint32 { return s.threadRunner(th).stirs.Load() }

// IsWaiting reports whether th waits, so that edges make it look again, where nobody else does.
func (s *System) IsWaiting(th *namedthread.Thread) bool {
	return s.threadRunner(th).waitsHere.Load() != 0 && s.kern.Aside() != 0
}

// FireDelays ends all that are pending, as their timers do.
func (s *System) FireDelays() {
	for p := range s.delays.All {
		p.end(nil)
	}
}

// PendingDelays returns how many are pending.
func (s *System) PendingDelays() int { return s.delays.Len() }

// WithdrawCast withdraws the broadcast that is under way, as the end of its context does.
func (s *System) WithdrawCast() {
	if b := s.cast.Load(); b != nil {
		b.Withdraw()
	}
}
