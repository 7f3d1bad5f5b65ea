package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// Bodies on several workers make calls in groups that they share, the same one for a while or a
// different one each time, and wait for them now and then: each call runs once, and before the end
// of a Wait that its body has begun after it.
func TestGroupsSharedByBodies(t *testing.T) {
	for k, w := range []int{1, 2, 3, 8} {
		strides := []int{1, 7, 64, 100}
		if testing.Short() { // each number and each stride, but not all pairs
			strides = strides[3-k:][:1]
		}
		for _, stride := range strides {
			s := start(t, taskgraph.Options{Workers: w})
			groups := []*taskgraph.Group{s.NewGroup(), s.NewGroup(), s.NewGroup()}
			const bodies, calls = 6, 700
			var ran [bodies][calls]atomics.Int32
			var events []taskgraph.Event
			for n := range bodies {
				events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					var mine [3][]int
					for i := range calls {
						at := (n + i/stride) % len(groups)
						groups[at].Go(c, func() { ran[n][i].Add(1) })
						mine[at] = append(mine[at], i)
						if i%173 != n {
							continue
						}
						if err := groups[at].Wait(c); err != nil {
							return err
						}
						for _, k := range mine[at] {
							if ran[n][k].Load() != 1 {
								return fmt.Errorf("call %d ran %d times before the end of the wait",
									k, ran[n][k].Load())
							}
						}
					}
					return nil
				})).Launch())
			}
			wait(t, s, events...)
			for _, g := range groups {
				require.NoError(t, g.Wait(bg))
			}
			for n := range ran {
				for i := range ran[n] {
					require.EqualValues(t, 1, ran[n][i].Load())
				}
			}
		}
	}
}

// A body blocks, in what nobody can see, until a call has run that it has made: the first, the last
// or one between, with calls of other groups and tasks around it. No call may be out of reach of
// other workers meanwhile.
func TestGroupCallsInReachWhileTheBodyBlocks(t *testing.T) {
	for _, w := range []int{2, 3} {
		s := start(t, taskgraph.Options{Workers: w})
		g, h := s.NewGroup(), s.NewGroup()
		for round := range 60 {
			run(t, s, func(c *taskgraph.Context) error {
				total := 1 + round*3
				done := make([]chan struct{}, total)
				for i := range done {
					done[i] = make(chan struct{})
					at := g
					if round%3 == 1 && i%5 == 4 {
						at = h
					}
					at.Go(c, func() { close(done[i]) })
					if round%4 == 3 && i%20 == 10 {
						c.Go(func() {})
					}
					if i%50 == round%50 {
						<-done[i/2]
					}
				}
				<-done[0]
				<-done[total/2]
				<-done[total-1]
				if round%2 == 0 {
					return errors.Join(g.Wait(c), h.Wait(c))
				}
				return nil
			})
		}
		require.NoError(t, errors.Join(g.Wait(bg), h.Wait(bg)))
	}
}

// Each call blocks until the one made after it has run, or the one before it: whoever runs one must
// leave the others where somebody else gets at them, be it the body's worker, one that steals or
// one that waits.
func TestGroupCallsThatWaitForEachOther(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		g := s.NewGroup()
		for round := range 4 {
			run(t, s, func(c *taskgraph.Context) error {
				const n = 6
				var ran [n]chan struct{}
				for i := range ran {
					ran[i] = make(chan struct{})
				}
				for i := range n {
					other := i + 1
					if round%2 == 1 {
						other = i - 1
					}
					g.Go(c, func() {
						if other >= 0 && other < n {
							<-ran[other]
						}
						close(ran[i])
					})
				}
				if round >= 2 {
					return g.Wait(c)
				}
				return nil
			})
			require.NoError(t, g.Wait(bg))
		}
	}
}

// All calls of several bodies meet: each must have begun before any ends.
func TestGroupCallsThatMeet(t *testing.T) {
	for _, w := range []int{1, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		g := s.NewGroup()
		const bodies, calls = 2, 4
		var here sync.WaitGroup
		here.Add(bodies * calls)
		var events []taskgraph.Event
		for range bodies {
			events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				for range calls {
					g.Go(c, func() {
						here.Done()
						here.Wait()
					})
				}
				return g.Wait(c)
			})).Launch())
		}
		wait(t, s, events...)
	}
}

// A wait with a Context whose task's context ends does end, whatever the group does.
func TestGroupWaitInABodyEndsWithItsContext(t *testing.T) {
	for _, w := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: w})
		g := s.NewGroup()
		gate := make(chan struct{})
		g.Go(s, func() { <-gate })
		ctx, cancel := context.WithCancel(bg)
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			var ran atomics.Int32
			for range 100 {
				g.Go(c, func() { ran.Add(1) })
			}
			cancel()
			return g.Wait(c)
		})).Context(ctx).Launch()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), context.Canceled)
		close(gate)
		require.NoError(t, g.Wait(bg))
	}
}

// A wait that runs calls which others have made looks for no more when its Context has ended.
func TestGroupWaitThatHelpsEndsWithItsContext(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 2})
	g := s.NewGroup()
	calls := brief(10_000, 2_000)
	var ran atomics.Int64
	var made, over atomics.Bool
	ctx, cancel := context.WithCancel(bg)
	waiter := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		for !made.Load() {
			runtime.Gosched()
		}
		cancel()
		defer over.Store(true)
		err := g.Wait(c)
		assert.Less(t, ran.Load(), int64(calls))
		return err
	})).Context(ctx).Launch()
	maker := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		for range calls {
			g.Go(c, func() {
				atomics.Pause(1000)
				ran.Add(1)
			})
		}
		made.Store(true)
		for !over.Load() { // with its worker, so that only the wait can run calls
			runtime.Gosched()
		}
		return nil
	})).Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, waiter), context.Canceled)
	wait(t, s, maker)
	require.NoError(t, g.Wait(bg))
}

// What a call refers to goes when it has run, and a group goes when nobody refers to it.
func TestGroupKeepsNothingAlive(t *testing.T) {
	type held struct{ _ [64]byte }
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		var refs []weak.Pointer[held]
		var groups []weak.Pointer[taskgraph.Group]
		var mu sync.Mutex
		for round := range 8 {
			run(t, s, func(c *taskgraph.Context) error {
				g, h := s.NewGroup(), s.NewGroup()
				mu.Lock()
				groups = append(groups, weak.Make(g), weak.Make(h))
				mu.Unlock()
				for i := range 40 * (round + 1) {
					v := new(held)
					mu.Lock()
					refs = append(refs, weak.Make(v))
					mu.Unlock()
					at := g
					if round%2 == 1 && i%9 == 8 {
						at = h
					}
					at.Go(c, func() { runtime.KeepAlive(v) })
				}
				return errors.Join(g.Wait(c), h.Wait(c))
			})
		}
		gone(t, refs...)
		gone(t, groups...)
	}
}

// Not the body that goes on keeps a group alive, nor the worker that ran its calls.
func TestGroupGoesBeforeTheBody(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	run(t, s, func(c *taskgraph.Context) error {
		gone(t, func() weak.Pointer[taskgraph.Group] {
			g, ran := s.NewGroup(), make(chan struct{})
			g.Go(c, func() { close(ran) })
			<-ran
			return weak.Make(g)
		}())
		return nil
	})
}

// gone requires that nothing refers to any of what refs do, soon.
func gone[T any](t *testing.T, refs ...weak.Pointer[T]) {
	t.Helper()
	for range 1000 { // workers may be about to let go of it
		runtime.GC()
		for len(refs) > 0 && refs[0].Value() == nil {
			refs = refs[1:]
		}
		if len(refs) == 0 {
			return
		}
		runtime.Gosched()
	}
	assert.Empty(t, refs, "kept alive")
}

// A shutdown that gives up while calls lie behind a body that does not return: every wait ends, and
// none of them runs.
func TestGroupAndShutdownThatGivesUpOnABody(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := taskgraph.Start(taskgraph.Options{Workers: w})
		groups := []*taskgraph.Group{s.NewGroup(), s.NewGroup()}
		gate, entered := make(chan struct{}), make(chan struct{}, w)
		var ran, ended atomics.Int32
		var over sync.WaitGroup
		for range w { // all workers
			over.Add(1)
			s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				defer over.Done()
				entered <- struct{}{}
				<-gate
				for i := range 200 {
					groups[i/30%2].Go(c, func() { ran.Add(1) })
				}
				for _, g := range groups {
					if errors.Is(g.Wait(c), graphevent.ErrClosed) {
						ended.Add(1)
					}
				}
				return nil
			})).Launch()
		}
		for range w {
			<-entered
		}
		ctx, cancel := context.WithCancel(bg)
		cancel()
		var stuck *taskgraph.StuckError
		require.ErrorAs(t, s.Shutdown(ctx), &stuck)
		close(gate)
		over.Wait()
		require.Zero(t, ran.Load())
		for _, g := range groups {
			if errors.Is(g.Wait(bg), graphevent.ErrClosed) {
				ended.Add(1)
			}
		}
		require.GreaterOrEqual(t, ended.Load(), int32(len(groups)),
			"what failed is reported, to one wait")
	}
}

// A player plays scripts: what bodies do with groups, drawn.
type groupPlayer struct {
	s      *taskgraph.System
	groups []*taskgraph.Group
	ended  context.Context

	mu     sync.Mutex
	calls  []*playedCall
	events []taskgraph.Event
	faults []string
}

type playedCall struct {
	ran   atomics.Int32
	fails bool
}

func (p *groupPlayer) call(fails bool) *playedCall {
	k := &playedCall{fails: fails}
	p.mu.Lock()
	p.calls = append(p.calls, k)
	p.mu.Unlock()
	return k
}

func (p *groupPlayer) fault(format string, a ...any) {
	p.mu.Lock()
	p.faults = append(p.faults, fmt.Sprintf(format, a...))
	p.mu.Unlock()
}

var errPlayed = errors.New("played")

func (p *groupPlayer) play(c *taskgraph.Context, script []byte, depth int) error {
	mine := make([][]*playedCall, len(p.groups))
	check := func(at int, err error) {
		if errors.Is(err, context.Canceled) {
			return
		}
		for _, k := range mine[at] {
			if k.ran.Load() != 1 {
				p.fault("a call ran %d times before the end of the wait", k.ran.Load())
			}
		}
		mine[at] = mine[at][:0]
	}
	for i, op := range script {
		at := int(op>>4) % len(p.groups)
		g := p.groups[at]
		plain := func(l taskgraph.Launcher) {
			k := p.call(false)
			mine[at] = append(mine[at], k)
			g.Go(l, func() { k.ran.Add(1) })
		}
		switch op & 15 {
		case 0, 1:
			plain(c)
		case 2: // many
			for range 70 {
				plain(c)
			}
		case 3:
			k := p.call(true)
			mine[at] = append(mine[at], k)
			g.Go(c, func() {
				k.ran.Add(1)
				panic(errPlayed)
			})
		case 4:
			k := p.call(true)
			mine[at] = append(mine[at], k)
			g.Go(c, func() {
				k.ran.Add(1)
				runtime.Goexit()
			})
		case 5, 6:
			check(at, g.Wait(c))
		case 7:
			check(at, g.Wait(p.ended))
		case 8:
			c.Blocking(func() {
				plain(c)
				plain(p.s)
				check(at, g.Wait(bg))
			})
		case 9:
			if depth == 0 {
				break
			}
			rest := script[i+1:]
			e := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
				return p.play(c, rest[len(rest)/2:], depth-1)
			}))
			p.mu.Lock()
			p.events = append(p.events, e)
			p.mu.Unlock()
			if op>>4&1 == 0 {
				_ = c.Wait(e)
			}
		case 10: // a call that the body blocks for
			k, ch := p.call(false), make(chan struct{})
			g.Go(c, func() {
				k.ran.Add(1)
				close(ch)
			})
			<-ch
		case 11:
			c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) { plain(c) },
				taskgraph.Args{}).Wait()
		case 12: // from inside a call
			k, inner := p.call(false), p.call(false)
			g.Go(c, func() {
				g.Go(p.s, func() { inner.ran.Add(1) })
				k.ran.Add(1)
			})
			mine[at] = append(mine[at], k, inner)
		case 13: // the slot changes hands
			e := p.s.NewEvent()
			p.s.Go(func() { e.Trigger() })
			_ = c.Wait(e)
		case 14: // a call that waits
			k, inner := p.call(false), p.call(false)
			mine[at] = append(mine[at], k, inner)
			g.Go(c, func() {
				_ = p.s.WaitUntilTasksComplete(bg, p.s.Go(func() { inner.ran.Add(1) }))
				k.ran.Add(1)
			})
		case 15:
			plain(p.s)
		}
	}
	return nil
}

func TestGroupsInBodiesDrawn(t *testing.T) {
	ended, cancel := context.WithCancel(bg)
	cancel()
	rapid.Check(t, func(rt *rapid.T) {
		o := taskgraph.Options{Workers: rapid.IntRange(1, 8).Draw(rt, "workers")}
		if rapid.Bool().Draw(rt, "goroutines park") {
			o.Park = sleepevent.ParkGo
		}
		if o.Workers > 2 && rapid.Bool().Draw(rt, "foreground") {
			o.Foreground = o.Workers - 1
		}
		var failed atomics.Int64
		o.OnFailure = func(what string, err error) {
			if strings.HasPrefix(what, "call") {
				failed.Add(1)
			}
		}
		s := taskgraph.Start(o)
		p := &groupPlayer{s: s, ended: ended}
		for range rapid.IntRange(1, 3).Draw(rt, "groups") {
			p.groups = append(p.groups, s.NewGroup())
		}
		scripts := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 25), 1, 6).Draw(rt, "scripts")
		for _, script := range scripts {
			e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return p.play(c, script,
					2)
			})).Launch()
			p.mu.Lock()
			p.events = append(p.events, e)
			p.mu.Unlock()
		}
		for i := 0; ; i++ {
			p.mu.Lock()
			over := i == len(p.events)
			var e taskgraph.Event
			if !over {
				e = p.events[i]
			}
			p.mu.Unlock()
			if over {
				break
			}
			if err := s.WaitUntilTasksComplete(bg, e); err != nil {
				assert.ErrorIs(rt, err, graphevent.ErrGoexit)
			}
		}
		for _, g := range p.groups {
			_ = g.Wait(bg)
			require.True(rt, g.Idle().IsComplete())
		}
		var fail int64
		for i, k := range p.calls {
			require.EqualValues(rt, 1, k.ran.Load(), "call %d", i)
			if k.fails {
				fail++
			}
		}
		require.Empty(rt, p.faults)
		require.Equal(rt, fail, failed.Load())
		require.NoError(rt, s.Shutdown(bg))
		require.EqualValues(rt, 0, s.Stats().Live)
	})
}
