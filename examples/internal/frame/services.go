package frame

import (
	"context"
	"errors"
	"io"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/taskgraph"
)

// A loader reads the prefabs on the loader thread, and sends what it has read to the game thread: a
// task that brings the objects to life, and that waits for the frame at whose end they are due.
// Then it is in the game thread's queue, and is run when that is drained after the frame, since no
// wait of the game thread is for it. So objects are born in the same frame, however fast the file
// was read, and never beside a step.
type loader struct {
	pl     *graphPlayer
	world  *world
	load   []*taskgraph.Retained
	bear   []*taskgraph.Retained
	last   []arrival
	wanted []int // in which frame
	// triggered by the frame at whose end they are due; none: there is no such load
	due    []taskgraph.Event
	births []taskgraph.Event // the tasks that wait for that
	sent   []int             // the frame in which deliver was called
	over   bool              // the player ends, and what is on its way is dropped
	from   []io.ReaderAt     // nil: not opened yet
	text   [][]byte          // what was read, in memory that is used again
	errs   []error
}

func newLoader(pl *graphPlayer, w *world) *loader {
	n := len(scene.Prefabs)
	l := &loader{pl: pl, world: w, wanted: make([]int, n), sent: make([]int, n),
		due: make([]taskgraph.Event, n), births: make([]taskgraph.Event, n)}
	l.last, l.from, l.text, l.errs = make([]arrival, n), make([]io.ReaderAt, n), make([][]byte, n),
		make([]error, n)
	for i, name := range scene.Prefabs {
		l.sent[i] = -1
		_ = l.open(i) // read tries again, and says what is wrong
		l.load = append(l.load, taskgraph.Retain(taskgraph.Run(func(c *taskgraph.Context) error {
			pl.crew.loader.MustBeCurrent()
			start := pl.rec.now()
			l.errs[i] = l.read(i)
			pl.rec.span(pl.crew.lane(pl.crew.loader, len(pl.rec.lanes)-len(threadNames)),
				len(pl.plan.steps)+loading, l.wanted[i], 0, start)
			l.births[i] = pl.launch(c, l.bear[i], l.due[i])
			return nil
		})).Name("load "+name).On(pl.crew.loader))
		l.bear = append(l.bear, taskgraph.Retain(taskgraph.Try(func() error {
			if l.over {
				return nil
			}
			return w.Deliver(l.take)
		})).Name("bring to life "+name).On(pl.crew.game))
	}
	return l
}

// open opens a file. It stays open: it is read again and again.
func (l *loader) open(i int) error {
	f, err := scene.Files.Open(scene.Prefabs[i])
	if err != nil {
		return err
	}
	about, err := f.Stat()
	if err != nil {
		return err
	}
	l.from[i], l.text[i] = f.(io.ReaderAt), make([]byte, about.Size())
	return nil
}

// read reads a file, on the loader thread.
func (l *loader) read(i int) error {
	if l.from[i] == nil {
		if err := l.open(i); err != nil {
			return err
		}
	}
	_, err := l.from[i].ReadAt(l.text[i], 0)
	if err == io.EOF {
		err = nil // and yet all of it
	}
	return err
}

func (l *loader) fetch(i int) {
	l.wanted[i] = l.pl.now
	l.due[i] = l.pl.sys.NewEvent()
	l.last[i].event = l.pl.launch(nil, l.load[i])
}

func (l *loader) underway(i int) *arrival {
	if l.last[i].event.IsComplete() {
		return nil
	}
	return &l.last[i]
}

// deliver says that the frame under way is the one at whose end the objects are due. It has waited
// for the file.
func (l *loader) deliver(i int) {
	l.sent[i] = l.pl.now
	if l.due[i] == (taskgraph.Event{}) {
		l.births[i] = l.bear[i].Launch(l.pl.sys) // it was another player that fetched it
		return
	}
	l.due[i].Trigger()
}

// born returns what became of the objects that were due at the end of this frame.
func (l *loader) born() error {
	i, ok := l.world.LoadDue()
	if !ok {
		return nil
	}
	if l.sent[i] != l.pl.now { // the frame has failed before it came to that
		if err := l.wait(l.last[i].event); err != nil {
			return err
		}
		l.deliver(i)
	}
	l.due[i] = taskgraph.Event{}
	return l.wait(l.births[i])
}

// drop sees to it that no file is on its way any more. Whoever plays on reads it again.
func (l *loader) drop() error {
	l.over = true
	defer func() { l.over = false }()
	for i := range l.last {
		if err := l.wait(l.last[i].event); err != nil {
			return err
		}
		if l.due[i] != (taskgraph.Event{}) {
			l.due[i].Trigger()
			if err := l.wait(l.births[i]); err != nil {
				return err
			}
		}
		l.last[i].event, l.due[i] = taskgraph.Event{}, taskgraph.Event{}
	}
	return nil
}

func (l *loader) wait(e taskgraph.Event) error {
	return l.pl.sys.WaitUntilTasksComplete(context.Background(), e)
}

// take returns what was read of a prefab.
func (l *loader) take(name string) ([]byte, error) {
	for i, of := range scene.Prefabs {
		if of == name && l.last[i].event != (taskgraph.Event{}) {
			return l.text[i], l.errs[i]
		}
	}
	return scene.Files.ReadFile(name) // it was another player that fetched it
}

// A marker finds what can be reached from the roots: the game has stopped, and everybody helps.
// Each participant has a set of its own, and the sets are merged. It is checked against the serial
// mark.
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
	m := newMarker(pl.sys, w.Scene)
	if w.library != nil {
		r := newLibrarian(pl, w)
		w.serve = services{mark: m.mark, overdue: r.underway, settle: r.deliver, born: r.born}
		w.librarian, pl.rest = r, r.rest
		return
	}
	l := newLoader(pl, w)
	w.serve = services{mark: m.mark, fetch: l.fetch, underway: l.underway, deliver: l.deliver,
		born: l.born}
	pl.rest = l.drop
}
