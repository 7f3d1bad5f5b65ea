package frame

import (
	"fmt"
	"time"
)

// A span is one call of a step's work.
type span struct {
	step, frame int32
	object      int32         // the first one of the range
	lane        int32         // who did it
	start, end  time.Duration // since the recorder began
}

// What a recorder knows beside the steps of a plan, by numbers behind theirs.
const (
	betweenFrames = iota // what the game thread does there
	loading              // a file, on the loader thread
	wholeFrame           // from the start of a frame to its end
	extraSteps
)

// A recorder notes who did what when. A lane is written by one goroutine at a time: that of a
// worker, or of a named thread. A nil recorder notes nothing.
type recorder struct {
	began time.Time
	lanes []lane
}

// A lane is what one worker or thread did. Adding up costs two looks at the clock; calls are kept
// only as far as there is room for them, so that nothing is allocated while frames are played.
type lane struct {
	name    string
	busy    []time.Duration // a step each
	objects []int           // likewise: how many were worked on
	calls   []int
	recent  []span   // those since the last forget, as far as there is room
	_       [64]byte // who writes the next lane is somebody else
}

// newRecorder returns a recorder with lanes of these names, for so many steps.
func newRecorder(steps int, names ...string) *recorder {
	r := &recorder{began: time.Now(), lanes: make([]lane, len(names))}
	for i := range r.lanes {
		r.lanes[i] = lane{
			name: names[i], busy: make([]time.Duration, steps), objects: make([]int, steps),
			calls: make([]int, steps),
		}
	}
	return r
}

// workerNames names the lanes of workers, those that stand in for blocked ones included.
func workerNames(workers int) []string {
	names := make([]string, 0, workers+spareLanes+len(threadNames))
	for i := range workers {
		names = append(names, fmt.Sprintf("worker %d", i))
	}
	for i := range spareLanes {
		names = append(names, fmt.Sprint("stand-in ", i))
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
func (r *recorder) span(lane, step, frame, object int, start time.Duration) {
	if r == nil || lane < 0 || lane >= len(r.lanes) {
		return
	}
	end := r.now()
	l := &r.lanes[lane]
	l.busy[step] += end - start
	l.calls[step]++
	if len(l.recent) < cap(l.recent) {
		l.recent = append(l.recent,
			span{int32(step), int32(frame), int32(object), int32(lane), start, end})
	}
}

// remember makes room for so many recent calls of a lane, but of the loader's: that also works
// between two frames.
func (r *recorder) remember(n int) {
	for i := range r.lanes {
		if l := &r.lanes[i]; l.name != threadNames[len(threadNames)-1] {
			l.recent = make([]span, 0, n)
		}
	}
}

// forget drops the recent calls. None of those who are remembered is at work meanwhile.
func (r *recorder) forget() {
	for i := range r.lanes {
		if l := &r.lanes[i]; cap(l.recent) > 0 {
			l.recent = l.recent[:0]
		}
	}
}

// count notes on how many objects a step has worked.
func (r *recorder) count(lane, step, n int) {
	if r != nil {
		r.lanes[lane].objects[step] += n
	}
}

// busy returns how long all lanes were at work, and how long at each step.
func (r *recorder) busy() (all time.Duration, steps []time.Duration) {
	steps = make([]time.Duration, len(r.lanes[0].busy))
	for i := range r.lanes {
		for k, d := range r.lanes[i].busy {
			steps[k] += d
			if k < len(steps)-extraSteps+wholeFrame {
				all += d
			}
		}
	}
	return all, steps
}
