//go:build modelcheck

package namedthread

import (
	"errors"
	"sync"
	"testing"

	"github.com/heddle-go/heddle/stress/modelcheck"
)

// lives is one execution of threads that come to one registry and go, while others post by the IDs
// of those that were there. As in stage, the lock is never waited for.
type lives struct {
	mu    sync.Mutex
	m     *modelcheck.Model
	r     Registry
	time  int
	all   []*life
	posts []*lifePost
}

// A life is one thread, from before it is added until after it has ended. The times are 0 before.
type life struct {
	t                          *Thread
	begins, came, leaves, left int
}

// A lifePost is one piece of work for the thread that an ID stands for.
type lifePost struct {
	g               *lives
	to              *life
	accepted, taken bool
	returned        bool // Post has
}

func (g *lives) locked(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.time++
	f()
}

func (x *lifePost) RunOn(t *Thread, _ uint64)    { x.take(t) }
func (x *lifePost) CancelOn(t *Thread, _ uint64) { x.take(t) }

func (x *lifePost) take(t *Thread) {
	x.g.locked(func() {
		x.g.m.Assert(t == x.to.t, "a post by an ID of %v came to %v", x.to.t, t)
		x.g.m.Assert(!x.taken, "a post is taken twice")
		x.taken = true
	})
}

// live is the life of a thread: it comes, does what there is, quits and goes. False: the name was
// taken.
func (g *lives) live(name string, idle bool) bool {
	l := &life{t: newThread(&g.r, name, Options{})}
	g.locked(func() {
		l.begins = g.time
		g.all = append(g.all, l)
	})
	if err := g.r.add(l.t); err != nil {
		g.locked(func() {
			g.m.Assert(err == ErrNameTaken, "%v", err)
			with := false
			for _, o := range g.all {
				with = with || o != l && o.t.name == name && (o.left == 0 || o.left > l.begins)
			}
			g.m.Assert(with, "a name is taken that nobody has")
			l.leaves, l.left = g.time, g.time
		})
		return false
	}
	g.locked(func() { g.comes(l) })
	if idle {
		l.t.serve(&pump{queue: QueueMain, end: endIdle})
	}
	l.t.Quit()
	l.t.serve(&pump{queue: QueueMain, end: endQuit})
	g.locked(func() { l.leaves = g.time })
	l.t.end()
	g.locked(func() { l.left = g.time })
	return true
}

// comes notes that l is in the registry, and looks at who was there before.
func (g *lives) comes(l *life) {
	l.came = g.time
	for _, o := range g.all {
		if o == l || o.came == 0 {
			continue
		}
		g.m.Assert(o.t.ID() != l.t.ID(), "%v and %v have one ID: %v", o.t, l.t, l.t.ID())
		g.m.Assert(o.leaves != 0 || o.t.name != l.t.name, "two threads have the name %v", l.t)
		g.m.Assert(o.leaves != 0 || o.t.index != l.t.index, "%v and %v have the index %d", o.t, l.t,
			l.t.index)
	}
	for _, x := range g.posts {
		g.m.Assert(!x.accepted || x.taken || x.to.t.index != l.t.index,
			"%v has the index of %v, which has not done all", l.t, x.to.t)
	}
}

// post posts once by the ID of each thread that has come so far, oldest first.
func (g *lives) post() {
	var known []*life
	g.locked(func() {
		for _, l := range g.all {
			if l.came != 0 {
				known = append(known, l)
			}
		}
	})
	for _, l := range known {
		x := &lifePost{g: g, to: l}
		var before, begins int
		g.locked(func() {
			g.posts = append(g.posts, x)
			before, begins = l.leaves, g.time
		})
		found, ok := g.r.Find(l.t.ID())
		g.locked(func() {
			g.m.Assert(!ok || found == l.t, "the ID of %v finds %v", l.t, found)
			g.m.Assert(ok || l.leaves != 0, "the ID of %v, which is there, finds none", l.t)
			g.m.Assert(!ok || l.left == 0 || l.left > begins,
				"the ID of %v, which has ended, finds it", l.t)
		})
		err := g.r.Post(l.t.ID(), x, 0)
		g.locked(func() {
			x.accepted, x.returned = err == nil, true
			g.m.Assert(err == nil || err == ErrClosed || errors.Is(err, ErrNoThread), "%v", err)
			g.m.Assert(err != nil || before == 0,
				"a post by the ID of %v, which has quit, is accepted", l.t)
		})
	}
}

// modelLives: threads of two names take turns at the names and indices of one registry. No call
// waits for another, wherever one is stopped.
func modelLives(t *testing.T) {
	for _, c := range []struct {
		name   string
		owners [][]string
		posts  int
	}{
		{"one after the other", [][]string{{"A", "A"}}, 2},
		{"two names", [][]string{{"A", "A"}, {"B"}}, 1},
		{"one name", [][]string{{"A", "B"}, {"A"}}, 1},
		{"three owners", [][]string{{"A"}, {"A"}, {"B", "C"}}, 0},
		{"two posters", [][]string{{"A", "B"}, {"B"}}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := modelcheck.Options{LockFree: true,
				Explorers: modelcheck.Portfolio(modelcheck.Scaled(40_000) / 5)}
			modelcheck.Check(t, o, func(m *modelcheck.Model) {
				g := &lives{m: m}
				for i, names := range c.owners {
					m.Thread(func() {
						for _, name := range names {
							g.live(name, i == 0)
						}
					})
				}
				for range c.posts {
					m.Thread(g.post)
				}
				m.After(func() {
					// What was stopped half-way is left out.
					for _, x := range g.posts {
						m.Assert(!x.returned || x.to.left == 0 || x.accepted == x.taken,
							"a post to %v is lost", x.to.t)
					}
					for _, l := range g.all {
						found, ok := g.r.Lookup(l.t.name)
						m.Assert(l.left == 0 || !ok || found != l.t,
							"%v has ended and has its name", l.t)
					}
				})
			})
		})
	}
}
