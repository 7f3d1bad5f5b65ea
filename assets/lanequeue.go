package assets

import (
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A lane has the flights that wait for one Lane, and launches a task for each. A task takes the
// most urgent flight that waits at its moment, which need not be the one it was launched for: so
// urgent flights overtake others in the Limiter, which is first in, first out.
//
//	L1 A flight is pushed before its task is launched, and a task takes one, or more, if one
//	   waits. So there are never fewer tasks ahead than flights that wait.
//	L2 No more of the tasks run than the Limiter has places.
type lane struct {
	p      *Pipeline
	name   Lane
	places *taskgraph.Limiter
	thread *namedthread.Thread
	blocks bool // its pipes may block
	queue  urgent
	body   taskgraph.Body
}

// enqueue has a flight wait for its turn in the lane.
func (l *lane) enqueue(f *flight) {
	f.lane.Store(l)
	number := f.number.Add(1)
	l.push(f, number)
}

// push puts a flight into the queue, perhaps not for the first time, and launches a task: L1.
func (l *lane) push(f *flight, number uint64) {
	p := byRank[l.queue.push(f, number)]
	t := l.p.sys.Task(l.body).Priority(p)
	if l.thread != nil {
		t = t.On(l.thread)
	} else {
		t = t.Limit(l.places)
	}
	t.Launch()
}

// perTask is how many flights a task of a lane that may block brings on at most. To stand in for a
// worker that blocks costs more than to read a small file.
const perTask = 32

// serve is the task: it brings one flight on or, where it may block, several.
func (l *lane) serve(c *taskgraph.Context) error {
	f := l.queue.take()
	switch {
	case f == nil: // another task has taken it
	case l.blocks:
		c.Blocking(func() {
			for n := 1; f != nil; n++ {
				l.p.run(c, l, f)
				if n == perTask {
					return
				}
				f = l.queue.take()
			}
		})
	default:
		l.p.run(c, l, f)
	}
	return nil
}
