package frame

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/examples/internal/traces"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/export"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// filmRecords is how many records of each lane are kept: enough for the last 20 frames of any
// scene, at least.
const filmRecords = 1 << 18

// A film records what the system of a player does, with a mark at the beginning and at the end of
// each frame. A nil film records nothing.
type film struct {
	*trace.Recorder
	begin, end trace.Label
}

// newFilm returns a film of so many records a lane. Each has a time of its own if it is to be
// exact, which takes longer.
func newFilm(records int, exact bool) *film {
	f := &film{Recorder: trace.New(trace.Options{Records: records, Exact: exact})}
	f.begin, f.end = f.Label("frame"), f.Label("end of frame")
	return f
}

// recorder returns what the system is given, nil if there is no film.
func (f *film) recorder() *trace.Recorder {
	if f == nil {
		return nil
	}
	return f.Recorder
}

func (f *film) begins(frame int) {
	if f != nil {
		f.Mark(f.begin, uint64(frame))
	}
}

func (f *film) ends(frame int) {
	if f != nil {
		f.Mark(f.end, uint64(frame))
	}
}

// A take is when a frame was played.
type take struct {
	frame    uint64
	from, to time.Duration
}

// takes returns the frames of a snapshot that are there as a whole, in their order.
func takes(s *trace.Snapshot) (list []take) {
	began := map[uint64]time.Duration{}
	for i := range s.Lanes {
		for _, e := range s.Lanes[i].Events {
			if e.Kind != trace.Mark || e.At < s.From || s.To < e.At {
				continue
			}
			switch s.Tasks[e.Other].Name {
			case "frame":
				began[e.Arg] = e.At
			case "end of frame":
				if from, ok := began[e.Arg]; ok {
					list = append(list, take{e.Arg, from, e.At})
					delete(began, e.Arg)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b take) int { return cmp.Compare(a.from, b.from) })
	return list
}

// cutTo returns what a snapshot has of a time.
func cutTo(s *trace.Snapshot, from, to time.Duration) *trace.Snapshot {
	part := *s
	part.From, part.To = from, to
	part.Lanes = make([]trace.Lane, len(s.Lanes))
	for i, l := range s.Lanes {
		events := l.Events
		l.Events = nil
		for _, e := range events {
			if from <= e.At && e.At <= to {
				l.Events = append(l.Events, e)
			}
		}
		part.Lanes[i] = l
	}
	return &part
}

var errNoFrame = errors.New("no frame was recorded as a whole")

// drawLanes draws the frame that took as long as half of those in the snapshot.
func drawLanes(w io.Writer, s *trace.Snapshot) error {
	list := takes(s)
	if len(list) == 0 {
		return errNoFrame
	}
	if list[0].frame == 0 && len(list) > 1 {
		list = list[1:] // in the first there is no picture of a frame before
	}
	slices.SortFunc(list, func(a, b take) int { return cmp.Compare(a.to-a.from, b.to-b.from) })
	t := list[(len(list)-1)/2]
	part := cutTo(s, t.from, t.to)
	part.Lanes = slices.DeleteFunc(part.Lanes, func(l trace.Lane) bool {
		return l.Kind == trace.LaneOutside || !slices.ContainsFunc(l.Events, isWork)
	})
	return export.Lanes(w, part, profile.Of(part, profile.Options{}))
}

// isWork tells whether a body or a range begins or ends.
func isWork(e trace.Event) bool {
	switch e.Kind {
	case trace.Begin, trace.End, trace.Range, trace.RangeEnd:
		return true
	}
	return false
}

// profileOf profiles the last frames of a snapshot, as many as are played in one turn at most.
func profileOf(s *trace.Snapshot) (*profile.Report, error) {
	list := takes(s)
	if len(list) == 0 {
		return nil, errNoFrame
	}
	last := list[len(list)-1]
	first := last
	for _, t := range slices.Backward(list) {
		if t.frame/sliceFrames != last.frame/sliceFrames {
			break
		}
		first = t
	}
	return profile.Of(cutTo(s, first.from, last.to), profile.Options{}), nil
}

// writeProfile prints what a profile of the last frames says.
func writeProfile(w io.Writer, s *trace.Snapshot) error {
	r, err := profileOf(s)
	if err != nil {
		return fmt.Errorf("-profile: %w", err)
	}
	if err := export.Text(w, r); err != nil {
		return err
	}
	// Threads need processors, too.
	cores := runtime.GOMAXPROCS(0)
	fmt.Fprintf(w, "on %d processors:", cores)
	for _, p := range r.PredictOn(cores, 1, 2, 4).Points {
		fmt.Fprintf(w, " %.1f ms with %d workers,", figures.MS(p.Time), p.Workers)
	}
	_, err = fmt.Fprintf(w, " and it was %.1f ms\n", figures.MS(r.Active))
	return err
}

// writeTrace writes a snapshot to a file that -trace names.
func writeTrace(w io.Writer, name string, s *trace.Snapshot) error {
	write, err := traces.Format("trace", name)
	if err != nil {
		return err
	}
	return write(w, s)
}
