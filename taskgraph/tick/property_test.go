package tick_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/tick"
)

// A spec is a function as the reference knows it.
type spec struct {
	group, end int
	after      []int // numbers of specs
	interval   time.Duration
	high       bool
	from, to   int   // frames in which it is there: added before from, removed before to
	spawns     []int // specs that it adds in its first frame
	parent     int   // who adds it, or -1
}

// A call is what the reference says of one function in one frame.
type call struct {
	start, fin int
	dt         time.Duration
}

// A reference is the package in a few lines: one function after the other, and without tasks.
type reference struct {
	groups []tick.Group
	specs  []spec
	now    time.Duration
	due    map[int]time.Duration // of those with an interval that have run
	last   map[int]time.Duration // of those that have run
	calls  map[int]call          // of the frame
	dt     time.Duration
}

func (r *reference) run(i, first int, batch map[int]bool) call {
	if c, done := r.calls[i]; done {
		return c
	}
	sp := r.specs[i]
	start, by := max(sp.group, first), 0
	for _, p := range sp.after {
		_, done := r.calls[p]
		if done || batch[p] {
			c := r.run(p, first, batch)
			start, by = max(start, c.start), max(by, c.fin)
		}
	}
	if by > start && by > sp.end {
		start = by
	}
	for start != sp.group && r.groups[start].NoDemotion {
		start++
	}
	c := call{start: start, fin: max(start, sp.end), dt: r.dt}
	if last, ran := r.last[i]; ran {
		c.dt = r.now - last
	}
	r.last[i] = r.now
	r.calls[i] = c
	if sp.interval > 0 {
		next, ran := r.due[i]
		if !ran {
			next = r.now
		}
		for next <= r.now {
			next += sp.interval
		}
		r.due[i] = next
	}
	return c
}

func (r *reference) frame(frame int, dt time.Duration) {
	r.now += dt
	r.dt = dt
	r.calls = map[int]call{}
	batch := map[int]bool{}
	there := func(i int) bool {
		sp := r.specs[i]
		if frame >= sp.to || frame < sp.from || sp.parent >= 0 && frame == sp.from {
			return false
		}
		return sp.interval == 0 || r.due[i] <= r.now
	}
	for i := range r.specs {
		batch[i] = there(i)
	}
	for i := range r.specs {
		if batch[i] {
			r.run(i, 0, batch)
		}
	}
	// What is added by a function that started in a group is admitted at the release of the next.
	last := len(r.groups) - 1
	added := map[int]bool{}
	for g := 0; ; g++ {
		batch := map[int]bool{}
		for i, sp := range r.specs {
			if sp.parent >= 0 && sp.from == frame && !added[i] {
				if c, ran := r.calls[sp.parent]; ran && c.start < g {
					batch[i] = true
				}
			}
		}
		if g > last && len(batch) == 0 {
			return
		}
		for i := range r.specs {
			if batch[i] {
				r.run(i, min(g, last), batch)
				added[i] = true
			}
		}
		if g > last { // rounds: those who start in them count as started before the next one
			continue
		}
	}
}

// A log has a number for each moment of a run.
type log struct {
	clock atomics.Uint64
	begun []atomics.Uint64 // of the frame, by spec
	ended []atomics.Uint64
	count []atomics.Uint64
	dt    []time.Duration
}

func drawSpecs(t *rapid.T, groups, frames int) []spec {
	n := rapid.IntRange(1, 14).Draw(t, "functions")
	specs := make([]spec, n)
	for i := range specs {
		sp := spec{
			group: rapid.IntRange(0, groups-1).Draw(t, "group"), high: rapid.Bool().Draw(t, "high"),
			interval: time.Duration(rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5}).Draw(t,
				"interval")) * ms,
			from: rapid.IntRange(0, 2).Draw(t, "from"), to: frames, parent: -1,
		}
		sp.end = sp.group + rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "longer")
		sp.end = min(sp.end, groups-1)
		if rapid.IntRange(0, 3).Draw(t, "removed") == 0 {
			sp.to = rapid.IntRange(sp.from+1, max(frames, sp.from+1)).Draw(t, "to")
		}
		if i > 0 {
			sp.after = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, 3, rapid.ID[int]).Draw(t,
				"after")
			if p := rapid.IntRange(-2*n, i-1).Draw(t, "parent"); p >= 0 && specs[p].parent < 0 {
				// It is added in the first frame of p, which then has to end in the group that it
				// starts in, or when it is added would be a matter of speed.
				specs[p].end, specs[p].interval = specs[p].group, 0
				specs[p].spawns = append(specs[p].spawns, i)
				sp.parent, sp.from = p, specs[p].from
				sp.to = max(sp.to, sp.from+1)
			}
		}
		specs[i] = sp
	}
	for i := range specs { // a prerequisite must be there when it is named
		specs[i].after = slices.DeleteFunc(specs[i].after, func(p int) bool {
			return specs[p].from > specs[i].from ||
				specs[p].parent >= 0 && specs[p].parent != specs[i].parent
		})
	}
	return specs
}

// Every frame is as the reference says: who runs, once, with what time, in which groups, after
// what.
func frames(t *rapid.T, o taskgraph.Options) {
	groups := make([]tick.Group, rapid.IntRange(1, 5).Draw(t, "groups"))
	for i := range groups {
		groups[i].NoDemotion = i+1 < len(groups) && rapid.IntRange(0, 3).Draw(t, "closed") == 0
	}
	count := rapid.IntRange(1, 6).Draw(t, "frames")
	specs := drawSpecs(t, len(groups), count)
	sys := taskgraph.Start(o)
	defer func() { require.NoError(t, sys.Shutdown(bg)) }()
	s := tick.New(sys, tick.Options{Groups: groups})
	n := len(specs)
	l := &log{begun: make([]atomics.Uint64, n), ended: make([]atomics.Uint64, n),
		count: make([]atomics.Uint64, n), dt: make([]time.Duration, n)}
	ticks := make([]*tick.Tick, n)
	frame := 0
	var add func(i int)
	add = func(i int) {
		f := tick.Function{
			Name: fmt.Sprint(i), Group: specs[i].group, End: specs[i].end,
			Interval: specs[i].interval, High: specs[i].high,
			Run: func(_ *taskgraph.Context, dt time.Duration) error {
				l.begun[i].Store(l.clock.Add(1))
				l.count[i].Add(1)
				l.dt[i] = dt
				if frame == specs[i].from {
					for _, child := range specs[i].spawns {
						add(child)
					}
				}
				l.ended[i].Store(l.clock.Add(1))
				return nil
			},
		}
		for _, p := range specs[i].after {
			f.After = append(f.After, ticks[p])
		}
		ticks[i] = s.Add(f)
	}
	ref := &reference{groups: groups, specs: specs, due: map[int]time.Duration{},
		last: map[int]time.Duration{}}
	for ; frame < count; frame++ {
		for i, sp := range specs {
			if sp.from == frame && sp.parent < 0 {
				add(i)
			}
			if sp.to == frame {
				ticks[i].Remove()
			}
		}
		dt := time.Duration(rapid.IntRange(0, 4).Draw(t, "dt")) * ms
		ref.frame(frame, dt)
		for i := range specs {
			l.begun[i].Store(0)
			l.ended[i].Store(0)
			l.count[i].Store(0)
		}
		require.NoError(t, s.StartFrame(dt))
		released, waited := make([]uint64, len(groups)), make([]uint64, len(groups))
		for g := range groups {
			released[g] = l.clock.Add(1)
			require.NoError(t, s.Run(bg, g))
			waited[g] = l.clock.Add(1)
		}
		require.NoError(t, s.EndFrame(bg))
		for i := range specs {
			c, runs := ref.calls[i]
			if !runs {
				require.Zero(t, l.count[i].Load(), "frame %d: %d must not run", frame, i)
				continue
			}
			require.Equal(t, uint64(1), l.count[i].Load(), "frame %d: calls of %d", frame, i)
			require.Equal(t, c.dt, l.dt[i], "frame %d: time of %d", frame, i)
			start, fin := ticks[i].Groups()
			require.Equal(t, []int{c.start, c.fin}, []int{start, fin}, "frame %d: groups of %d",
				frame, i)
			begun, ended := l.begun[i].Load(), l.ended[i].Load()
			require.Greater(t, begun, released[c.start], "frame %d: %d begins before its group",
				frame, i)
			if specs[i].parent < 0 || frame > specs[i].from || c.start < len(groups)-1 {
				require.Less(t, ended, waited[c.fin], "frame %d: %d ends after its group", frame, i)
			}
			for _, p := range specs[i].after {
				if _, runs := ref.calls[p]; runs {
					require.Less(t, l.ended[p].Load(), begun,
						"frame %d: %d begins before %d has ended", frame, i, p)
				}
			}
		}
	}
}

func TestFramesAreAsTheReference(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { frames(t, taskgraph.Options{Workers: workers}) })
		})
	}
}

// The same with the order of everything drawn.
func TestFramesInEveryOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		frames(t, taskgraph.Options{Deterministic: &taskgraph.Deterministic{Seed: seed}})
	})
}

// In deterministic mode the same seed gives the same frames, and others give others.
func TestDeterministic(t *testing.T) {
	run := func(seed uint64) string {
		var trace bytes.Buffer
		sys := taskgraph.Start(taskgraph.Options{Deterministic: &taskgraph.Deterministic{Seed: seed,
			Trace: &trace}})
		s := tick.New(sys, groups(3))
		var b book
		var x *tick.Tick
		for i := range 4 {
			f := b.fn(fmt.Sprint(i), i%2)
			f.End, f.High = i%3, i == 2
			s.Add(f)
		}
		x = s.Add(tick.Function{Name: "x", Run: func(c *taskgraph.Context, _ time.Duration) error {
			b.note("x")
			s.Add(b.fn("added", 0))
			x.Remove()
			return c.WaitUntilTasksComplete(c, c.Go(func() { b.note("inner") }))
		}})
		for range 3 {
			require.NoError(t, s.StartFrame(ms))
			s.Release(0)
			require.NoError(t, s.Run(bg, 1))
			require.NoError(t, s.EndFrame(bg))
		}
		require.NoError(t, sys.Shutdown(bg))
		names := b.take()
		require.Len(t, names, 3*4+2+3)
		return fmt.Sprint(names, trace.String())
	}
	seen := map[string]bool{}
	for seed := range uint64(40) {
		one := run(seed)
		require.Equal(t, one, run(seed))
		seen[one] = true
	}
	require.Greater(t, len(seen), 30)
}
