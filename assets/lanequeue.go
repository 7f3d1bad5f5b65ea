package assets

import (
	"context"
	"math"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A lane has the flights that wait for one Lane, and the tasks that serve them. On a named thread
// that is a task for each flight, elsewhere a crew.
type lane struct {
	crew
	p      *Pipeline
	name   Lane
	thread *namedthread.Thread
	body   taskgraph.Body        // on a thread
	bodies [ranks]taskgraph.Body // elsewhere
	blocks bool                  // its pipes may block
	// pace is what a pipe of a lane that may block takes of late, in nanoseconds.
	pace atomics.Int64
}

const (
	// quick is the pace below which to stand in for a worker that blocks costs more than it brings:
	// pipes that read files which the system has in memory, say.
	quick = 100 * time.Microsecond
	// perTask is how many flights a task of a lane that blocks brings on at most.
	perTask = 32
	// slice is how long a task goes on to further flights. The next has a priority of its own, and
	// other tasks of the system may have a higher one.
	slice = 200 * time.Microsecond
)

func (l *lane) init(p *Pipeline, name Lane, limit int) {
	l.p, l.name, l.limit = p, name, int32(min(limit, math.MaxInt32))
	for r := range l.bodies {
		l.bodies[r] = taskgraph.Run(func(c *taskgraph.Context) error {
			l.serve(c, uint32(r))
			return nil
		})
	}
	l.launch = func(r uint32) { p.sys.Task(l.bodies[r]).Priority(byRank[r]).Launch() }
	l.body = taskgraph.Run(l.serveOne)
	if name != Disk { // which the first of its pipes will show
		l.pace.Store(int64(2 * quick))
	}
}

// enqueue has a flight wait for its turn in the lane.
func (l *lane) enqueue(f *flight) {
	f.lane.Store(l)
	l.push(f, f.number.Add(1))
}

// push puts a flight into the queue, perhaps not for the first time, and sees to it that it is
// served.
func (l *lane) push(f *flight, number uint64) {
	if l.thread == nil {
		l.crew.push(f, number)
		return
	}
	rank := l.queue.push(f, number)
	l.p.sys.Task(l.body).Priority(byRank[rank]).On(l.thread).Launch()
}

// serveOne is a task on a thread. It takes the most urgent flight, which need not be the one that
// it was launched for.
func (l *lane) serveOne(c *taskgraph.Context) error {
	if f := l.queue.take(); f != nil {
		s := server{c: c, lane: l, stays: true}
		s.run(f)
	}
	return nil
}

// serve is a server of the crew.
func (l *lane) serve(c *taskgraph.Context, rank uint32) {
	if !l.come(rank) {
		return
	}
	s := server{c: c, lane: l}
	defer func() { s.lane.leave() }() // also if a pipe ends the goroutine
	if l.slow() {
		s.stays = true
		c.Blocking(func() {
			for range perTask {
				f := l.queue.take()
				if f == nil {
					return
				}
				if s.run(f); !l.slow() {
					return
				}
			}
		})
		s.stays = false
	}
	for begin := l.p.sys.Now(); !s.lane.slow(); {
		f := s.lane.queue.take()
		if f == nil && s.to(l) {
			f = l.queue.take()
		}
		if f == nil {
			return
		}
		if s.run(f); l.p.sys.Now().Sub(begin) > slice {
			return
		}
	}
}

// slow reports whether pipes of the lane block for long.
func (l *lane) slow() bool { return l.blocks && l.pace.Load() > int64(quick) }

// took notes how long a pipe took. A figure that is lost now and then does not matter.
func (l *lane) took(d time.Duration) {
	was := l.pace.Load()
	l.pace.Store(was + (int64(min(d, time.Second))-was)/4)
}

// A server is a task that is at work in a lane.
type server struct {
	c     *taskgraph.Context
	lane  *lane
	stays bool // it is on a thread, or inside Context.Blocking: see to
	ctx   *pipeContext
}

// context returns what a pipe of a flight gets: the same for all that have one manager.
func (s *server) context(f *flight) context.Context {
	if ctx := f.it.Context(); s.ctx == nil || s.ctx.Context != ctx {
		s.ctx = &pipeContext{Context: ctx, task: s.c}
	}
	return s.ctx
}

// to moves a server to another lane, with its flight, and reports whether it did.
func (s *server) to(l *lane) bool {
	if l == s.lane {
		return true
	}
	if s.stays || l.thread != nil || l.slow() || !l.enter() {
		return false
	}
	s.lane.leave()
	s.lane = l
	return true
}

// fits reports whether a flight may be run in a lane at once by who comes there with it: nobody
// more urgent waits, and where others could be passed for ever nobody else.
func (l *lane) fits(f *flight, here bool) bool {
	return !l.queue.pressing(f, l.blocks && !here)
}
