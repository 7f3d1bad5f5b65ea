package frame

import (
	"context"
	"errors"
	"io"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/taskgraph"
)

// A loader reads the prefabs on the loader thread. It does nothing else: what it has read comes to life on the game thread,
// between two frames.
type loader struct {
	pl     *graphPlayer
	load   []*taskgraph.Retained
	last   []arrival
	wanted []int         // in which frame
	from   []io.ReaderAt // nil: not opened yet
	text   [][]byte      // what was read, in memory that is used again
	errs   []error
}

func newLoader(pl *graphPlayer) *loader {
	l := &loader{pl: pl, wanted: make([]int, len(scene.Prefabs))}
	n := len(scene.Prefabs)
	l.last, l.from, l.text, l.errs = make([]arrival, n), make([]io.ReaderAt, n), make([][]byte, n), make([]error, n)
	for i, name := range scene.Prefabs {
		l.load = append(l.load, taskgraph.Retain(taskgraph.Do(func() {
			pl.crew.loader.MustBeCurrent()
			start := pl.rec.now()
			l.errs[i] = l.read(i)
			pl.rec.span(pl.crew.lane(pl.crew.loader, len(pl.rec.lanes)-len(threadNames)), len(pl.plan.steps)+loading, l.wanted[i], start)
		})).Name("load "+name).On(pl.crew.loader))
	}
	return l
}

// read reads a file, on the loader thread. It stays open: it is read again and again.
func (l *loader) read(i int) error {
	if l.from[i] == nil {
		f, err := scene.Files.Open(scene.Prefabs[i])
		if err != nil {
			return err
		}
		about, err := f.Stat()
		if err != nil {
			return err
		}
		l.from[i], l.text[i] = f.(io.ReaderAt), make([]byte, about.Size())
	}
	_, err := l.from[i].ReadAt(l.text[i], 0)
	if err == io.EOF {
		err = nil // and yet all of it
	}
	return err
}

func (l *loader) fetch(i int) {
	l.wanted[i] = l.pl.now
	l.last[i].event = l.load[i].Launch(l.pl.sys)
}

func (l *loader) underway(i int) *arrival {
	if l.last[i].event.IsComplete() {
		return nil
	}
	return &l.last[i]
}

// take returns what was read of a prefab. The frame has waited for it.
func (l *loader) take(name string) ([]byte, error) {
	for i, of := range scene.Prefabs {
		if of == name {
			if l.last[i].event == (taskgraph.Event{}) {
				break // it was another player that fetched it
			}
			return l.text[i], l.errs[i]
		}
	}
	return scene.Files.ReadFile(name)
}

// A marker finds what can be reached from the roots: the game has stopped, and everybody helps. Each participant has a set of its
// own, and the sets are merged. It is checked against the serial mark.
type marker struct {
	sys   *taskgraph.System
	scene *scene.Scene
	all   scene.Marks
	own   []scene.Marks // by participant
	trace taskgraph.Loop
	merge taskgraph.Loop
}

// errMarks says that the parallel mark has not found what the serial one has.
var errMarks = errors.New("the parallel mark differs from the serial one")

func newMarker(sys *taskgraph.System, s *scene.Scene) *marker {
	m := &marker{sys: sys, scene: s, all: s.NewMarks(), own: make([]scene.Marks, sys.LoopLimit())}
	for i := range m.own {
		m.own[i] = s.NewMarks()
	}
	m.trace.Unbalanced = true // nobody knows how much hangs on a root
	m.trace.Body = func(p *taskgraph.Participant, lo, hi int) error {
		s.Mark(&m.own[p.Index()], lo, hi)
		return nil
	}
	m.merge.Body = func(_ *taskgraph.Participant, lo, hi int) error {
		m.all.Merge(m.own, lo, hi)
		return nil
	}
	return m
}

func (m *marker) mark() (*scene.Marks, error) {
	m.all.Clear()
	for i := range m.own {
		m.own[i].Clear()
	}
	m.trace.N, m.merge.N = len(m.scene.Roots), m.all.Words()
	want := m.scene.MarkSerial()
	err := errors.Join(m.sys.RunLoop(m.trace), m.sys.RunLoop(m.merge))
	if err == nil && !m.all.Equal(want) {
		err = errMarks
	}
	return want, err
}

// serveBy lets a graph player do what belongs between frames.
func (w *world) serveBy(pl *graphPlayer) {
	l, m := newLoader(pl), newMarker(pl.sys, w.Scene)
	w.serve = services{mark: m.mark, fetch: l.fetch, underway: l.underway, text: l.take}
	pl.rest = func() error { // no file may be on its way when the threads end
		for i := range l.last {
			if err := pl.sys.WaitUntilTasksComplete(context.Background(), l.last[i].event); err != nil {
				return err
			}
		}
		return nil
	}
}
