package assets

import (
	"context"
	"iter"
	"time"

	"github.com/heddle-go/heddle/assets/internal/once"
	"github.com/heddle-go/heddle/assets/internal/turn"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph"
)

// Options configure a Manager. Registry and Loader are required.
type Options struct {
	Platform Platform // what resources are loaded for
	Registry Registry
	Loader   Loader
	Keeper   Keeper // default NewKeeper(256 MiB)

	// Types says what is special about certain types. That of "" is for all others.
	Types map[string]TypeRule

	// FailureFor is for how long who asks for a resource that has failed, and that somebody still
	// holds, is given that failure; later it is loaded again. Default 1 s; negative: not at all. A
	// failure that nobody holds is forgotten at once.
	FailureFor time.Duration
}

// A Manager loads and keeps resources for one platform. Make one with New, and end it with Close
// before its System is shut down. There may be several on one System, with one Registry and one
// Loader.
//
// # Concurrency
//
// All methods may be called by any goroutine, Switch by one at a time. What the pipes did for a
// resource synchronizes before whatever sees that it is ready or has failed.
//
// # Progress
//
// Acquire, Query, Release and what a Handle tells are lock-free and do not block. All bookkeeping
// is done by one task at a time, which is launched when there is some.
//
// # Cost
//
// Acquire of what is there allocates its Handle and nothing else. A resource that is loaded has an
// entry in a table, an event of the System, and some hundred bytes.
type Manager struct {
	sys    *taskgraph.System
	o      Options
	ctx    context.Context
	cancel context.CancelFunc

	table    *once.Table[ID, life]
	turn     *turn.Turn[note]
	closing  atomics.Bool
	stop     taskgraph.Event // when Close is called
	gone     taskgraph.Event // when Close has unloaded everything
	handles  atomics.Int64
	counts   counts
	watchers watchers
	changes  lockfree.Queue[pending]
	draining atomics.Bool
	scenes   scenes
	closeErr atomics.Pointer[error] // the first of closeValue

	book book // of the turn alone
}

// New returns a Manager on a system, which must not refuse tasks: Options.WhenFull of that is not
// FullError where it has MaxTasks. It panics without a Registry or a Loader.
func New(sys *taskgraph.System, o Options) *Manager {
	if o.Registry == nil || o.Loader == nil {
		panic("assets: a Manager needs a Registry and a Loader")
	}
	if o.Keeper == nil {
		o.Keeper = NewKeeper(256 << 20)
	}
	if o.FailureFor == 0 {
		o.FailureFor = time.Second
	}
	m := &Manager{sys: sys, o: o, table: once.New[ID, life]()}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	m.stop = sys.Name(sys.NewEvent(), "assets: Manager.Close is called")
	m.gone = sys.Name(sys.NewEvent(), "assets: Manager.Close")
	drain := taskgraph.Do(func() { m.turn.Drain() })
	m.turn = turn.New(m.note, func() { sys.Task(drain).Priority(taskgraph.PriorityHigh).Launch() })
	m.book.idle = map[ID]*knot{}
	m.book.apart = map[*life]struct{}{}
	m.book.affected = map[*life][]ID{}
	return m
}

// Acquire returns a Handle to a resource, and has it loaded if that is necessary. It returns at
// once. After Close the Handle has failed with ErrClosed.
func (m *Manager) Acquire(id ID) *Handle { return m.AcquireAt(id, taskgraph.PriorityNormal) }

// AcquireAt is Acquire with a priority. If the resource is being loaded with a lower one, it is
// promoted, and so is what it waits for.
func (m *Manager) AcquireAt(id ID, p taskgraph.Priority) *Handle {
	m.handles.Add(1)
	return &Handle{life: m.acquire(id, p, nil)}
}

// acquire returns the life of a resource, which the caller holds.
func (m *Manager) acquire(id ID, p taskgraph.Priority, first *life) *life {
	if e := m.table.Find(id); e != nil && !m.stale(&e.Value) {
		if first, ok := e.Acquire(); ok {
			return m.joined(e, p, first)
		}
	}
	e, isNew, held := m.table.Acquire(id, func(fresh *once.Entry[life]) {
		fresh.Value.prepare(m, fresh, id, p, first)
	}, m.stale)
	if isNew {
		m.counts.started.Add(1)
		m.turn.Put(note{kind: noteStart, life: &e.Value})
		return &e.Value
	}
	return m.joined(e, p, held)
}

// joined is for who holds a life that was there.
func (m *Manager) joined(e *once.Entry[life], p taskgraph.Priority, first bool) *life {
	l := &e.Value
	if first { // it may be idle
		m.turn.Put(note{kind: noteLook, life: l})
	}
	l.promote(p)
	return l
}

// stale reports whether a life is a failure that has been there for long enough.
func (m *Manager) stale(l *life) bool {
	return l.get() == Failed && (m.o.FailureFor < 0 ||
		m.sys.Now().Sub(l.failedAt) >= m.o.FailureFor)
}

// Load acquires a resource and waits for it as Handle.Wait does. After an error it holds nothing.
func (m *Manager) Load(ctx context.Context, id ID) (*Handle, error) {
	h := m.Acquire(id)
	if err := h.Wait(ctx); err != nil {
		m.Release(h)
		return nil, err
	}
	return h, nil
}

// Query returns how far a resource has come.
func (m *Manager) Query(id ID) State {
	if e := m.table.Find(id); e != nil && !e.Dead() {
		return e.Value.get()
	}
	return Unknown
}

// Release gives up a Handle. If nobody else holds the resource then, its Keep says what becomes of
// it, and what it alone depended on stays for a while. A load that nobody wants any more ends
// before its next pipe. Release reports whether the Handle was held: one is released once.
func (m *Manager) Release(h *Handle) bool { return m.release(h, Released) }

// ReleaseTree is Release of a resource with everything that it alone depends on, directly or not.
func (m *Manager) ReleaseTree(h *Handle) bool { return m.release(h, Tree) }

func (m *Manager) release(h *Handle, why Reason) bool {
	if h.released.Swap(true) {
		return false
	}
	m.handles.Add(-1)
	if h.life.release(why) {
		m.turn.Put(note{kind: noteLook, life: h.life})
	}
	return true
}

// Unload has a resource unloaded as soon as nobody holds it, whatever its Keep but KeepAlways: at
// once if it is idle.
func (m *Manager) Unload(id ID) {
	if e := m.table.Find(id); e != nil {
		m.turn.Put(note{kind: noteUnload, life: &e.Value})
	}
}

// A Status is what All yields.
type Status struct {
	ID      ID
	State   State
	Holders int   // handles and resources that hold it or one of its circle
	Size    int64 // of Ready
}

// All yields the resources that are there, in no certain order. Those that come and go meanwhile
// may be missed.
func (m *Manager) All() iter.Seq[Status] {
	return func(yield func(Status) bool) {
		m.table.All(func(id ID, e *once.Entry[life]) bool {
			s := Status{ID: id, State: e.Value.get(), Holders: e.Held()}
			if s.State == Ready {
				s.Size = e.Value.size
			}
			return e.Dead() || yield(s)
		})
	}
}

// Close ends all loads, unloads everything, whoever holds it, and returns when that is done or ctx
// ends. Values are closed. Pipes that do not heed their context hold it up. Further calls wait for
// the first. When all is done, the error is the first that a value returned when it was closed, now
// or earlier, or a graphevent.PanicError if it panicked.
func (m *Manager) Close(ctx context.Context) error {
	if !m.closing.Swap(true) {
		m.cancel()
		m.stop.Trigger()
		m.turn.Put(note{kind: noteClose})
	}
	if err := m.sys.WaitUntilTasksComplete(ctx, m.gone); err != nil {
		return err
	}
	if err := m.closeErr.Load(); err != nil {
		return *err
	}
	return nil
}
