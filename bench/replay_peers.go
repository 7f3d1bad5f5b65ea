package main

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A replayPeer is a way to replay frames.
type replayPeer struct {
	runtime string
	free    bool
	open    func(f *replay, workers int) (stepper, error)
}

// replayPeers are all rows of frames in Go.
var replayPeers = []replayPeer{
	{runtime: heddle, open: heddleReplay(heddleSystem.outside, taskgraph.IdleAdaptive,
		(*replay).loops)},
	{runtime: heddleRun, open: heddleReplay(heddleSystem.taking, taskgraph.IdleAdaptive,
		(*replay).loops)},
	{runtime: heddleInsideTask,
		open: heddleReplay(heddleSystem.within, taskgraph.IdleAdaptive, (*replay).loops)},
	{runtime: "heddle-awake",
		open: heddleReplay(heddleSystem.within, taskgraph.IdleAwake, (*replay).loops)},
	{runtime: "heddle-pieces",
		open: heddleReplay(heddleSystem.outside, taskgraph.IdleAdaptive, (*replay).apart)},
	{runtime: "serial", open: func(f *replay, _ int) (stepper, error) {
		return stepper{run: func() error { f.serial(); return nil }}, nil
	}},
	{runtime: "spin", free: true, open: pooledReplay(0)},
	{runtime: "hybrid", free: true, open: pooledReplay(hybridAwake)},
	{runtime: "goroutines", free: true, open: goroutineReplay},
}

// byUrgency returns the steps, those first that most hangs on.
func (f *replay) byUrgency() []int {
	order := make([]int, len(f.steps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(f.steps[b].urgency, f.steps[a].urgency)
	})
	return order
}

// heddleReplay runs the graph that build makes of the frame.
func heddleReplay(way heddleWay, idle taskgraph.Idle,
	build func(*replay) (*taskgraph.Graph, error)) func(*replay, int) (stepper, error) {
	return func(f *replay, workers int) (stepper, error) {
		h := heddleSystem{taskgraph.Start(taskgraph.Options{Workers: workers, Idle: idle})}
		g, err := build(f)
		run := make([]taskgraph.Event, 1)
		step := func(at placed, ctx context.Context) error {
			if c, inside := at.(*taskgraph.Context); inside {
				return h.sys.RunGraph(c, g)
			}
			run[0] = at.LaunchGraph(g)
			return at.WaitUntilTasksComplete(ctx, run...)
		}
		return way(h, step, g), err
	}
}

// loops builds a graph with a task for each step, whose body is a loop.
func (f *replay) loops() (*taskgraph.Graph, error) {
	var b taskgraph.GraphBuilder
	var all []taskgraph.GraphTask
	for i := range f.steps {
		s := &f.steps[i]
		var body taskgraph.Body
		switch {
		case s.source >= 0:
			body = taskgraph.Do(func() { f.end(i) }) // who feeds its pieces has done them
		case len(s.pieces) <= s.grain:
			body = taskgraph.Do(func() {
				for k := range s.pieces {
					f.piece(i, k)
					f.fed(i, k)
				}
				f.end(i)
			})
		default:
			loop := taskgraph.Loop{N: len(s.pieces), Grain: s.grain, Unbalanced: true,
				Body: func(_ *taskgraph.Participant, lo, hi int) error {
					for k := lo; k < hi; k++ {
						f.piece(i, k)
						f.fed(i, k)
					}
					return nil
				}}
			body = taskgraph.Run(func(c *taskgraph.Context) error {
				err := c.RunLoop(loop)
				f.end(i)
				return err
			})
		}
		t := b.Task(body)
		for _, k := range s.after {
			t.After(all[k])
		}
		all = append(all, t)
	}
	return b.Build()
}

// apart builds a graph with a task for each piece, or some small ones, and one for the end of each
// step.
func (f *replay) apart() (*taskgraph.Graph, error) {
	var b taskgraph.GraphBuilder
	var ends []taskgraph.GraphTask
	own := make([][]taskgraph.GraphTask, len(f.steps))
	for i := range f.steps {
		s := &f.steps[i]
		grain := s.grain
		if s.source >= 0 || s.to >= 0 {
			grain = 1
		}
		for lo := 0; lo < len(s.pieces); lo += grain {
			t := b.Task(taskgraph.Do(func() {
				for k := lo; k < min(lo+grain, len(s.pieces)); k++ {
					f.piece(i, k)
				}
			}))
			if s.source >= 0 {
				t.After(own[s.source][s.pieces[lo].by])
			} else {
				for _, k := range s.after {
					t.After(ends[k])
				}
			}
			own[i] = append(own[i], t)
		}
		end := b.Task(taskgraph.Do(func() { f.end(i) })).After(own[i]...)
		for _, k := range s.after {
			end.After(ends[k])
		}
		ends = append(ends, end)
	}
	return b.Build()
}

// A replayPool is a frame on a pool by hand: a bit for each step that is ready, the most urgent
// first, and a counter for its pieces. Who finds no piece left clears the bit; who does the last
// one sets those of the steps that become ready.
type replayPool struct {
	f     *replay
	pool  *stepPool
	steps []pooledStep
	at    [maxReplaySteps]int // the step of a bit
	_     [64]byte
	ready atomics.Uint64
	_     [64]byte
	open  atomics.Int64 // steps that have not ended
	_     [64]byte
	job   func()
	done  func() bool
}

// A pooledStep is what a frame changes of a step.
type pooledStep struct {
	bit  int
	left atomics.Int32 // steps that it waits for
	_    [64]byte
	next atomics.Int64 // piece to do
	rest atomics.Int64 // pieces that have not run
	_    [64]byte
}

func pooledReplay(awake time.Duration) func(*replay, int) (stepper, error) {
	return func(f *replay, workers int) (stepper, error) {
		t := &replayPool{f: f, pool: newStepPool(workers, awake),
			steps: make([]pooledStep, len(f.steps))}
		for bit, i := range f.byUrgency() {
			t.at[bit], t.steps[i].bit = i, bit
		}
		t.job = t.work
		t.done = func() bool { return t.open.Load() == 0 }
		return stepper{run: func() error { t.frame(); return nil }, close: t.pool.close}, nil
	}
}

func (t *replayPool) frame() {
	var ready uint64
	for i := range t.steps {
		s := &t.steps[i]
		s.left.Store(int32(len(t.f.steps[i].after)))
		s.next.Store(0)
		s.rest.Store(int64(len(t.f.steps[i].pieces)))
		if len(t.f.steps[i].after) == 0 {
			ready |= 1 << s.bit
		}
	}
	t.open.Store(int64(len(t.steps)))
	t.ready.Store(ready)
	t.pool.run(t.job, t.done)
}

func (t *replayPool) work() {
	for spins := 1; t.open.Load() > 0; {
		ready := t.ready.Load()
		if ready == 0 {
			t.pool.relax(spins)
			spins++
			continue
		}
		spins = 1
		bit := bits.TrailingZeros64(ready)
		if t.step(t.at[bit], uint64(1)<<bit-1) {
			// nobody begins the next frame before all are out of here
			t.ready.And(^(uint64(1) << bit))
		}
	}
}

// step does pieces of a step until all are taken, and then returns true, or until one of the more
// urgent steps is ready.
func (t *replayPool) step(i int, urgent uint64) bool {
	s, of := &t.steps[i], &t.f.steps[i]
	n, grain := len(of.pieces), of.grain
	for {
		hi := int(s.next.Add(int64(grain)))
		lo := hi - grain
		if lo >= n {
			return true
		}
		hi = min(hi, n)
		for k := lo; k < hi; k++ {
			t.f.piece(i, k)
			t.f.fed(i, k)
		}
		if s.rest.Add(int64(lo-hi)) == 0 {
			t.end(i)
			return true
		}
		if t.ready.Load()&urgent != 0 {
			return false
		}
	}
}

// end ends a step and makes ready what comes after it.
func (t *replayPool) end(i int) {
	t.f.end(i)
	var ready uint64
	for _, k := range t.f.steps[i].next {
		if t.steps[k].left.Add(-1) > 0 {
			continue
		}
		if t.f.steps[k].source >= 0 {
			t.end(k) // who fed its pieces has done them
		} else {
			ready |= 1 << t.steps[k].bit
		}
	}
	if ready != 0 {
		t.ready.Or(ready)
	}
	t.open.Add(-1)
}

// goroutineReplay has counters, a goroutine for each step that becomes ready beside another one,
// and for each loop goroutines that claim its ranges.
func goroutineReplay(f *replay, workers int) (stepper, error) {
	var all sync.WaitGroup
	left := make([]atomics.Int32, len(f.steps))
	next := make([]atomics.Int64, len(f.steps))
	ranges := func(i int) {
		s := &f.steps[i]
		for {
			hi := int(next[i].Add(int64(s.grain)))
			for k := hi - s.grain; k < min(hi, len(s.pieces)); k++ {
				f.piece(i, k)
				f.fed(i, k)
			}
			if hi >= len(s.pieces) {
				return
			}
		}
	}
	loop := func(i int) {
		s := &f.steps[i]
		if s.source >= 0 {
			return // who feeds its pieces has done them
		}
		var helpers sync.WaitGroup
		for k := 1; k < workers && k*s.grain < len(s.pieces); k++ {
			helpers.Go(func() { ranges(i) })
		}
		ranges(i)
		helpers.Wait()
	}
	var from func(i int)
	from = func(i int) {
		for {
			loop(i)
			f.end(i)
			follow := -1
			for _, k := range f.steps[i].next {
				switch {
				case left[k].Add(-1) > 0:
				case follow < 0:
					follow = k
				default:
					all.Go(func() { from(k) })
				}
			}
			if follow < 0 {
				return
			}
			i = follow
		}
	}
	return stepper{run: func() error {
		for i := range f.steps {
			left[i].Store(int32(len(f.steps[i].after)))
			next[i].Store(0)
		}
		for i := range f.steps {
			if len(f.steps[i].after) == 0 {
				all.Go(func() { from(i) })
			}
		}
		all.Wait()
		return nil
	}}, nil
}
