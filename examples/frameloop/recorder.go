package main

import (
	"fmt"
	"time"
)

// A span is one call of a step's work.
type span struct {
	step, frame int32
	start, end  time.Duration // since the recorder began
}

// A recorder notes who did what when. A lane is written by one goroutine at a time: that of a worker, or of a named thread.
type recorder struct {
	began time.Time
	lanes []lane
}

// A lane is what one worker or thread did. Adding up costs nothing but the two looks at the clock; the spans are kept only
// as far as there is room for them, so that nothing is allocated while frames are played.
type lane struct {
	name  string
	busy  []time.Duration // a step each
	spans []span
	_     [64]byte // who writes the next lane is somebody else
}

// newRecorder returns a recorder with lanes of these names, for so many steps and so many spans a lane.
func newRecorder(steps, spans int, names ...string) *recorder {
	r := &recorder{began: time.Now(), lanes: make([]lane, len(names))}
	for i := range r.lanes {
		r.lanes[i] = lane{name: names[i], busy: make([]time.Duration, steps), spans: make([]span, 0, spans)}
	}
	return r
}

// workerNames names the lanes of workers, those that stand in for blocked ones included.
func workerNames(workers int) []string {
	names := make([]string, 0, workers+spareLanes)
	for i := range workers {
		names = append(names, fmt.Sprintf("worker %d", i))
	}
	for i := range spareLanes {
		names = append(names, fmt.Sprintf("stand-in %d", i))
	}
	return names
}

// spareLanes is how many workers that stand in for others are told apart.
const spareLanes = 4

func (r *recorder) now() time.Duration {
	if r == nil {
		return 0
	}
	return time.Since(r.began)
}

// span notes that a step's work has begun at start and ends now.
func (r *recorder) span(lane, step, frame int, start time.Duration) {
	if r == nil || lane < 0 || lane >= len(r.lanes) {
		return
	}
	end := r.now()
	l := &r.lanes[lane]
	l.busy[step] += end - start
	if len(l.spans) < cap(l.spans) {
		l.spans = append(l.spans, span{int32(step), int32(frame), start, end})
	}
}

// busy returns how long all lanes were at work, and how long at each step.
func (r *recorder) busy() (all time.Duration, steps []time.Duration) {
	for i := range r.lanes {
		if steps == nil {
			steps = make([]time.Duration, len(r.lanes[i].busy))
		}
		for k, d := range r.lanes[i].busy {
			steps[k] += d
			all += d
		}
	}
	return all, steps
}
