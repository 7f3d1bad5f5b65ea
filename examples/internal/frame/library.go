package frame

import (
	"context"
	"errors"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/store"
	"github.com/heddle-go/heddle/taskgraph"
)

// A library has the props of a scene's sites from the files of a folder: it is what the sites ask,
// and what has come for them. It lives as long as the scene, whoever plays that.
type library struct {
	names []string
	store *store.Store[*scene.Prop]
	round []uint32 // by site: even while nothing is asked for
	got   []store.Answer[*scene.Prop]
	buf   []store.Answer[*scene.Prop]
	due   []int
	late  int // frames that had to wait for a file

	// lets the owner of the store serve; or nil: it is served by who needs something
	wake  func()
	fault func(f *store.Fault) // is told of a placeholder, between frames; or nil
}

// newLibrary returns the library of a scene that has not begun.
func newLibrary(s *scene.Scene, m *models, budget int64) *library {
	n := s.Sites()
	return &library{
		names: m.names, due: make([]int, 0, n),
		round: make([]uint32, n), got: make([]store.Answer[*scene.Prop], n),
		store: store.New(store.Options[*scene.Prop]{
			Files: m.root.FS(), Parse: m.parse, Requests: n, Budget: budget,
		}),
	}
}

// Ask implements [scene.Library].
func (l *library) Ask(site, prop int, near float32) {
	l.round[site]++
	l.tell(l.store.Ask(uint32(site), l.round[site], l.names[prop], near))
}

// Rank implements [scene.Library]. What has come is not urgent any more: the owner is not woken for
// it.
func (l *library) Rank(site int, near float32) {
	if !l.has(site) {
		l.tell(l.store.Rank(uint32(site), near))
	}
}

// Drop implements [scene.Library].
func (l *library) Drop(site int) {
	l.round[site]++
	l.got[site] = store.Answer[*scene.Prop]{} // or the prop would be kept alive
	l.tell(l.store.Drop(uint32(site)))
}

func (l *library) tell(wake bool) {
	if wake && l.wake != nil {
		l.wake()
	}
}

// collect takes what has come. An answer to what was given back meanwhile is of no use.
func (l *library) collect() {
	l.buf = l.store.Answers(l.buf[:0])
	for _, a := range l.buf {
		if l.round[a.Request] == a.Round {
			l.got[a.Request] = a
		}
	}
	clear(l.buf)
}

// has reports whether what a site has asked for has come.
func (l *library) has(site int) bool { return l.got[site].Round == l.round[site] }

// Take implements [scene.Library].
func (l *library) Take(site int) *scene.Prop {
	if !l.has(site) {
		panic(errLost)
	}
	a := &l.got[site]
	if a.Fault != nil && l.fault != nil {
		l.fault(a.Fault)
	}
	return a.Value
}

// overdue returns the sites whose props come at the end of this frame, and have not come from the
// loader. They are the most urgent from now on.
func (l *library) overdue(s *scene.Scene) []int {
	l.collect()
	l.due = s.DueSites(l.due[:0])
	left := l.due[:0]
	for _, site := range l.due {
		if !l.has(site) {
			left = append(left, site)
			l.tell(l.store.Rank(uint32(site), -1))
		}
	}
	return left
}

// errLost says that a file was asked for, and the store knows nothing of it.
var errLost = errors.New("what a site has asked for is lost")

// serve serves until some sites have what they have asked for. The caller is the store's owner.
func (l *library) serve(sites []int) error {
	for _, site := range sites {
		for !l.store.Served(uint32(site), l.round[site]) {
			if !l.store.Serve() && !l.store.Served(uint32(site), l.round[site]) {
				return errLost
			}
		}
	}
	return nil
}

// A librarian lets the loader thread own the store of a library, for one player. It reads the files
// there, one a task, so that whatever else is for that thread has its turn in between.
type librarian struct {
	pl      *graphPlayer
	world   *world
	lib     *library
	read    taskgraph.Body
	rush    *taskgraph.Retained // reads what a frame waits for
	quiet   *taskgraph.Retained // reads all that was asked for
	bear    *taskgraph.Retained // brings props to life, on the game thread
	waiting []int               // sites whose files a frame waits for
	late    arrival
	birth   taskgraph.Event
	sent    int // the frame in which bear was launched
	judged  int // the last frame in which something was late
	stats   store.Stats
	known   outcomes
}

func newLibrarian(pl *graphPlayer, w *world) *librarian {
	r := &librarian{pl: pl, world: w, lib: w.library, sent: -1, judged: -1}
	on := func(name string, f func(c *taskgraph.Context) error) *taskgraph.Retained {
		return taskgraph.Retain(taskgraph.Run(f)).Name(name).On(pl.crew.loader)
	}
	lane, span := pl.crew.lane(pl.crew.loader,
		len(pl.rec.lanes)-len(threadNames)), len(pl.plan.steps)+loading
	r.read = taskgraph.Run(func(c *taskgraph.Context) error {
		pl.crew.loader.MustBeCurrent()
		if start, files := pl.rec.now(), r.lib.store.Stats().Read; r.lib.store.Serve() {
			if r.lib.store.Stats().Read > files {
				pl.rec.span(lane, span, -1, 0, start) // it belongs to no frame
			}
			c.Again()
		}
		return nil
	})
	r.rush = on("read at once", func(*taskgraph.Context) error { return r.lib.serve(r.waiting) })
	r.quiet = on("read the rest", func(*taskgraph.Context) error {
		for r.lib.store.Serve() {
		}
		r.stats, r.known = r.lib.store.Stats(), outcomesOf(r.lib.store)
		return nil
	})
	r.bear = taskgraph.Retain(taskgraph.Do(w.Settle)).Name("bring props to life").On(pl.crew.game)
	r.lib.wake = func() { pl.sys.Task(r.read).Name("read files").On(pl.crew.loader).Launch() }
	return r
}

// underway returns what the props that come at the end of this frame wait for, or nil. The frame is
// put off until then: what comes in which frame does not depend on how long a file takes.
func (r *librarian) underway() *arrival {
	r.waiting = append(r.waiting[:0], r.lib.overdue(r.world.Scene)...)
	if len(r.waiting) == 0 {
		return nil
	}
	if r.judged != r.pl.now {
		r.judged = r.pl.now
		r.lib.late++
	}
	r.late.event = r.pl.launch(nil, r.rush)
	return &r.late
}

// deliver sends what has come to the game thread, whose queue is drained at the end of the frame.
func (r *librarian) deliver() {
	r.sent, r.birth = r.pl.now, taskgraph.Event{}
	if r.lib.due = r.world.DueSites(r.lib.due[:0]); len(r.lib.due) > 0 {
		r.birth = r.pl.launch(nil, r.bear)
	}
}

// born waits until the props of this frame are there, which they are unless the frame has failed.
func (r *librarian) born() error {
	if r.sent == r.pl.now {
		return r.wait(r.birth)
	}
	for a := r.underway(); a != nil; a = r.underway() {
		if err := r.wait(a.event); err != nil {
			return err
		}
	}
	r.world.Settle()
	return nil
}

// rest lets the loader read what was asked for, so that nothing is on its way.
func (r *librarian) rest() error { return r.wait(r.pl.launch(nil, r.quiet)) }

func (r *librarian) wait(e taskgraph.Event) error {
	return r.pl.sys.WaitUntilTasksComplete(context.Background(), e)
}

// outcomes are what was in the files, or wrong with them, by name.
type outcomes struct {
	sums   map[string]uint64
	faults map[string]*store.Fault
}

func outcomesOf(s *store.Store[*scene.Prop]) outcomes {
	sums, faults := s.Sums()
	return outcomes{sums, faults}
}

// differ returns a file that was not for both what it was for one of them, and empty if there is
// none. What only one has read does not count.
func (o outcomes) differ(p outcomes) string {
	for name, sum := range o.sums {
		if other, read := p.sums[name]; read && sum != other || p.faults[name] != nil {
			return name
		}
	}
	for name, f := range o.faults {
		_, read := p.sums[name]
		if other := p.faults[name]; read || other != nil && other.Kind != f.Kind {
			return name
		}
	}
	return ""
}
