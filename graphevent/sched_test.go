package graphevent_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/lockfree"
)

// A cold is what the test scheduler keeps for a node.
type cold struct {
	body    func(*frame) error
	edges   uint32 // used up, by the builder and then by the body
	pending uint32 // of the builder: registered
}

// A frame is what a running body knows.
type frame struct {
	s *sched
	n graphevent.Node
	e graphevent.Event
}

// holdOpen delays the completion of the body's event.
func (f *frame) holdOpen(events ...graphevent.Event) {
	c := f.s.colds.At(uint32(f.n))
	for _, e := range events {
		f.s.store.HoldOpen(f.n, c.edges, e)
		c.edges++
	}
}

// A sched is a scheduler over one queue. A single goroutine runs it step by step, or workers
// do; either way it is what a store calls.
type sched struct {
	store *graphevent.Store
	colds paged.Table[cold]
	queue lockfree.Queue[graphevent.Node]

	readied   atomics.Int64 // calls of Ready
	completed atomics.Int64 // calls of Completed, and of EndBody that returned true
	told      atomics.Int64 // calls of Completed, less what Finished counted
	stopped   atomics.Bool
	workers   sync.WaitGroup

	onReady func(graphevent.Node) // for single goroutines
	tokens  func(uint32, error)
}

var (
	_ graphevent.Scheduler = (*sched)(nil)
	_ graphevent.Releaser  = (*sched)(nil)
)

func newSched(set ...func(*graphevent.Options)) *sched {
	s := &sched{}
	o := graphevent.Options{
		Scheduler: s,
		Releaser:  s,
		Grow:      func(limit graphevent.Node) { s.colds.Grow(uint32(limit) - 1) },
	}
	for _, f := range set {
		f(&o)
	}
	s.store = graphevent.NewStore(o)
	return s
}

func (s *sched) Ready(n graphevent.Node) {
	s.readied.Add(1)
	if s.onReady != nil {
		s.onReady(n)
	}
	s.queue.Push(n)
}

func (s *sched) Completed(n graphevent.Node) {
	s.colds.At(uint32(n)).body = nil
	s.completed.Add(1)
	s.told.Add(1)
}

func (s *sched) Finished(count int) { s.told.Add(int64(-count)) }

func (s *sched) Release(token uint32, err error) { s.tokens(token, err) }

// hold begins a task.
func (s *sched) hold(f graphevent.Flags, body func(*frame) error) graphevent.Event {
	n := s.store.Acquire(nil)
	*s.colds.At(uint32(n)) = cold{body: body}
	return s.store.Hold(n, f)
}

// after adds prerequisites to a task that is held.
func (s *sched) after(e graphevent.Event, prerequisites ...graphevent.Event) {
	n := e.Node()
	c := s.colds.At(uint32(n))
	for _, p := range prerequisites {
		if s.store.After(n, c.edges, p) {
			c.pending++
		}
		c.edges++
	}
}

func (s *sched) launch(e graphevent.Event) graphevent.Launched {
	l := s.store.Launch(e, s.colds.At(uint32(e.Node())).pending, nil, s)
	if l == graphevent.LaunchReady {
		s.Ready(e.Node())
	}
	return l
}

// task launches a task.
func (s *sched) task(body func(*frame) error, prerequisites ...graphevent.Event) graphevent.Event {
	e := s.hold(0, body)
	s.after(e, prerequisites...)
	s.launch(e)
	return e
}

// run runs the body of a node that was claimed, and reports whether it has completed.
func (s *sched) run(n graphevent.Node, c *graphevent.Cache) bool {
	body := s.colds.At(uint32(n)).body
	var err error
	if body != nil {
		err = body(&frame{s, n, s.store.Event(n)})
	}
	s.colds.At(uint32(n)).body = nil
	if !s.store.EndBody(n, err, c, s) {
		return false
	}
	s.completed.Add(1)
	return true
}

// step pops one entry and runs it unless it is a tombstone. It returns false if there is none.
func (s *sched) step(c *graphevent.Cache) bool {
	n, ok := s.queue.Pop()
	if ok && s.store.Claim(n, c) {
		s.run(n, c)
	}
	return ok
}

func (s *sched) drain() {
	for s.step(nil) {
	}
}

// start starts workers, which run until stop.
func (s *sched) start(workers int) {
	for range workers {
		s.workers.Go(func() {
			var c graphevent.Cache
			for !s.stopped.Load() {
				if !s.step(&c) {
					atomics.Gosched()
				}
			}
			s.store.Flush(&c)
		})
	}
}

// stop ends the workers and runs what they left.
func (s *sched) stop() {
	s.stopped.Store(true)
	s.workers.Wait()
	s.drain()
}

// requireNothingLeft checks that every node and every slab edge is free, failures excepted.
func (s *sched) requireNothingLeft(t testing.TB) {
	t.Helper()
	require.True(t, s.queue.Empty(), "the queue is not empty")
	require.Zero(t, s.told.Load(), "completed and not finished")
	requireNothingLeft(t, s.store)
}

func requireNothingLeft(t testing.TB, s *graphevent.Store) {
	t.Helper()
	for e := range s.Incomplete {
		t.Errorf("%v is %v", e, e.State())
	}
	made, free := s.Nodes()
	require.Equal(t, made, free+s.Remembered(), "nodes are lost or free twice")
	if s.Remembered() == 0 {
		made, free = s.SlabEdges()
		require.Equal(t, made, free, "slab edges are lost or free twice")
	}
}

// manual makes n manual events.
func manual(s *graphevent.Store, n int) []graphevent.Event {
	es := make([]graphevent.Event, n)
	for i := range es {
		es[i] = s.NewEvent()
	}
	return es
}

// end completes a manual event.
func end(e graphevent.Event, err error) bool {
	if err == nil {
		return e.Trigger()
	}
	return e.Fail(err)
}

// await returns when e has completed, without a sleep that would cost more than the test.
func await(e graphevent.Event) error {
	for !e.IsComplete() {
		atomics.Gosched()
	}
	return e.Err()
}

// tokens is a Releaser that keeps what it gets, for a single goroutine.
type tokens struct {
	got  []uint32
	errs []error
}

func (r *tokens) Release(token uint32, err error) {
	r.got = append(r.got, token)
	r.errs = append(r.errs, err)
}
