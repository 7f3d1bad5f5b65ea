package ark_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/contrib/ark"
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/mlange-42/ark/ecs"
)

// childOf is a relation: entities with another parent are in another table.
type childOf struct {
	ecs.RelationMarker
	V uint64
}

func start(t testing.TB, workers int) *taskgraph.System {
	sys := taskgraph.Start(taskgraph.Options{Workers: workers})
	t.Cleanup(func() { require.NoError(t, sys.Shutdown(context.Background())) })
	return sys
}

// count adds a system that adds one to the component of each entity.
func count[T any](s *ark.Schedule, v func(*T) *uint64) *ark.System {
	return s.Add("count", func(a *ark.Access) ark.Body {
		w := ark.WriteOf[T](a)
		q := a.Query(w)
		each := func(c *ark.Chunk) {
			for i := range w.Of(c) {
				*v(&w.Of(c)[i])++
			}
		}
		return func(r *ark.Run) error { return r.Each(q, each) }
	})
}

func frame(t testing.TB, s *ark.Schedule) {
	t.Helper()
	require.NoError(t, s.RunFrame(context.Background()))
}

// TestColumnsMoved: a table that has moved to other memory, with as many rows and as much room as
// before, is found there.
func TestColumnsMoved(t *testing.T) {
	w := ecs.NewWorld(4)
	m := ecs.NewMap1[c0](&w)
	s := ark.New(start(t, 2), &w, ark.Options{Chunk: 4})
	count(s, v0)
	var stay, go1 []ecs.Entity
	fill := func() {
		for range 90 {
			go1 = append(go1, m.NewEntity(&c0{}))
		}
		for _, e := range go1 {
			w.RemoveEntity(e)
		}
		go1 = nil
	}
	for range 10 {
		stay = append(stay, m.NewEntity(&c0{}))
	}
	fill()
	frame(t, s)
	before := m.Get(stay[0])
	w.Shrink()
	fill()
	require.NotSame(t, before, m.Get(stay[0]), "Ark has not moved the table")
	frame(t, s)
	for _, e := range stay {
		require.Equal(t, uint64(2), m.Get(e).V)
	}
}

// TestRelationTables: tables of relations are made, emptied, freed and used again between frames,
// and change places.
func TestRelationTables(t *testing.T) {
	w := ecs.NewWorld(4, 2)
	m := ecs.NewMap[childOf](&w)
	s := ark.New(start(t, 2), &w, ark.Options{Chunk: 2})
	count(s, func(c *childOf) *uint64 { return &c.V })
	age := map[ecs.Entity]uint64{}
	var parents []ecs.Entity
	random := uint64(1)
	draw := func(n int) int {
		random = random*6364136223846793005 + 1442695040888963407
		return int(random >> 33 % uint64(n))
	}
	for range 1000 {
		switch {
		case len(parents) < 2 || draw(3) == 0:
			parents = append(parents, w.NewEntity())
			for range 1 + draw(6) {
				age[m.NewEntity(&childOf{}, parents[len(parents)-1])] = 0
			}
		case draw(2) == 0: // its children become those of nobody, and its table is freed
			i := draw(len(parents))
			w.RemoveEntity(parents[i])
			parents = append(parents[:i], parents[i+1:]...)
		default:
			for e := range age {
				m.SetRelation(e, parents[draw(len(parents))])
				break
			}
		}
		if draw(3) > 0 { // several of these between two frames
			continue
		}
		frame(t, s)
		for e := range age {
			age[e]++
			require.Equal(t, age[e], m.Get(e).V)
		}
	}
}

// TestTogether: systems that share nothing but reads run at the same time. Each waits for the
// other, so one after the other they would wait for ever.
func TestTogether(t *testing.T) {
	w := ecs.NewWorld()
	s := ark.New(start(t, 2), &w, ark.Options{InPlace: -1})
	one, two := make(chan int), make(chan int)
	s.Add("one", func(a *ark.Access) ark.Body {
		ark.ReadOf[c0](a)
		ark.WriteOf[c1](a)
		return func(*ark.Run) error { one <- 1; <-two; return nil }
	})
	s.Add("two", func(a *ark.Access) ark.Body {
		ark.ReadOf[c0](a)
		ark.WriteOf[c2](a)
		return func(*ark.Run) error { <-one; two <- 1; return nil }
	})
	for range 50 {
		frame(t, s)
	}
}

// TestThings: things that are not components order systems too.
func TestThings(t *testing.T) {
	w := ecs.NewWorld()
	s := ark.New(start(t, 4), &w, ark.Options{})
	order := ""
	for _, name := range []string{"a", "b", "c", "d"} {
		s.Add(name, func(a *ark.Access) ark.Body {
			a.Reads("the log")
			a.Writes("the log")
			return func(*ark.Run) error { order += name; return nil }
		})
	}
	for range 100 {
		order = ""
		frame(t, s)
		require.Equal(t, "abcd", order)
	}
}

// TestNoGarbage: frames allocate nothing in steady state, also where the set of systems goes back
// and forth between sets that have been.
func TestNoGarbage(t *testing.T) {
	for _, run := range []func(*ark.Schedule){ark.RunAsGraph, ark.RunInPlace} {
		w := ecs.NewWorld()
		ecs.NewMap2[c0, c1](&w).NewBatch(5000, &c0{}, &c1{})
		s := ark.New(start(t, 2), &w, ark.Options{Chunk: 64})
		run(s)
		count(s, v0)
		second := count(s, v1)
		ctx := context.Background()
		on := false
		// An average, rounded down: that a worker's stack grows is seldom.
		allocs := testing.AllocsPerRun(200, func() {
			second.SetEnabled(on)
			on = !on
			if err := s.RunFrame(ctx); err != nil {
				t.Error(err)
			}
		})
		require.Zero(t, allocs)
	}
}

// TestFailure: a system that fails ends the frame, what has been recorded is dropped, and the next
// frame runs.
func TestFailure(t *testing.T) {
	for i, o := range []ark.Options{{}, {Serial: true}, {Verify: ark.VerifyWrites}, {}} {
		w := ecs.NewWorld()
		e := ecs.NewMap1[c0](&w).NewEntity(&c0{})
		s := ark.New(start(t, 2), &w, o)
		if i == 3 {
			ark.RunInPlace(s)
		}
		bad := errors.New("bad")
		s.Add("remove", func(a *ark.Access) ark.Body {
			a.Commands()
			ark.WriteOf[c0](a)
			return func(r *ark.Run) error { r.Commands().RemoveEntity(e); return nil }
		})
		failing := s.Add("fail", func(a *ark.Access) ark.Body {
			ark.ReadOf[c0](a)
			return func(*ark.Run) error { return bad }
		})
		require.ErrorIs(t, s.RunFrame(context.Background()), bad)
		require.True(t, w.Alive(e))
		require.False(t, w.IsLocked())
		failing.SetEnabled(false)
		frame(t, s)
		require.False(t, w.Alive(e))
	}
}

// TestCanceled: when the context ends no further system begins.
func TestCanceled(t *testing.T) {
	for i, o := range []ark.Options{{}, {Serial: true}, {Verify: ark.VerifyWrites}, {}} {
		w := ecs.NewWorld()
		s := ark.New(start(t, 2), &w, o)
		if i == 3 {
			ark.RunInPlace(s)
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		why := errors.New("enough")
		s.Add("cancel", func(a *ark.Access) ark.Body {
			ark.WriteOf[c0](a)
			return func(*ark.Run) error { cancel(why); return nil }
		})
		s.Add("never", func(a *ark.Access) ark.Body {
			ark.WriteOf[c0](a)
			return func(*ark.Run) error { t.Error("it has run"); return nil }
		})
		require.ErrorIs(t, s.RunFrame(ctx), why)
		require.False(t, w.IsLocked())
	}
}

// TestMisuse: what is wrong whatever the order of things is found at once.
func TestMisuse(t *testing.T) {
	w := ecs.NewWorld()
	ecs.NewMap2[c0, c1](&w).NewEntity(&c0{}, &c1{})
	s := ark.New(start(t, 2), &w, ark.Options{})
	var access *ark.Access
	var other ark.Write[c1]
	var query *ark.Query
	s.Add("other", func(a *ark.Access) ark.Body {
		a.Writes("order") // as what is wrong looks at whether this one runs
		access, other = a, ark.WriteOf[c1](a)
		query = a.Query(other)
		return func(*ark.Run) error { return nil }
	})
	require.Panics(t, func() { ark.ReadOf[c0](access) }, "after the set-up")
	require.Panics(t, func() { query.With(ecs.C[c0]()) }, "after the set-up")
	require.Panics(
		t,
		func() {
			s.Add("foreign query", func(a *ark.Access) ark.Body { a.Query(other); return nil })
		},
	)
	require.Panics(t, func() { ark.New(nil, &w, ark.Options{}) })
	require.Panics(t, func() { ark.New(nil, &w, ark.Options{Serial: true, Chunk: -1}) })

	bodies := map[string]func(own *ark.Query, r *ark.Run) error{
		"uses the handle": func(own *ark.Query, r *ark.Run) error {
			return r.Each(own, func(c *ark.Chunk) { other.Of(c) })
		},
		"does not run": func(*ark.Query, *ark.Run) error { other.Get(ecs.Entity{}); return nil },
		"iterates a query of": func(_ *ark.Query, r *ark.Run) error {
			return r.Each(query, func(*ark.Chunk) {})
		},
		"inside itself": func(own *ark.Query, r *ark.Run) error {
			return r.Each(own, func(c *ark.Chunk) { _ = r.Each(own, func(*ark.Chunk) {}) })
		},
		"without having declared": func(_ *ark.Query, r *ark.Run) error {
			r.Commands()
			return nil
		},
		"during a frame": func(*ark.Query, *ark.Run) error { s.AddFlush(""); return nil },
		"locked world":   func(*ark.Query, *ark.Run) error { w.NewEntity(); return nil },
	}
	for text, body := range bodies {
		wrong := s.Add("wrong", func(a *ark.Access) ark.Body {
			a.Reads("order")
			own := a.Query(ark.ReadOf[c0](a))
			return func(r *ark.Run) error { return body(own, r) }
		})
		for _, run := range []func(*ark.Schedule){ark.RunAsGraph, ark.RunInPlace} {
			run(s)
			err := s.RunFrame(context.Background())
			require.ErrorContains(t, err, text)
			var panicked *graphevent.PanicError
			require.ErrorAs(t, err, &panicked)
			require.Contains(t, string(panicked.Stack), "schedule_test.go")
		}
		wrong.Remove()
		frame(t, s)
	}
}

// TestContext: no frame runs in place after a system has been given the Context of its task, until
// that system takes part no more.
func TestContext(t *testing.T) {
	w := ecs.NewWorld()
	s := ark.New(start(t, 2), &w, ark.Options{})
	var got []bool
	asks := false
	y := s.Add("asks", func(a *ark.Access) ark.Body {
		return func(r *ark.Run) error {
			got = append(got, asks && r.Context() != nil)
			return nil
		}
	})
	inPlace := false
	ark.RunInPlace(s)
	frame(t, s)
	asks = true
	frame(t, s) // in place, and it has not been given one before
	ark.RunAsGraph(s)
	frame(t, s)
	ark.RunInPlace(s)
	frame(t, s)
	require.Equal(t, []bool{false, false, true, true}, got)
	s.Add("where", func(a *ark.Access) ark.Body {
		return func(r *ark.Run) error { inPlace = r.Context() == nil; return nil }
	})
	y.SetEnabled(false)
	frame(t, s)
	require.True(t, inPlace)
}

// TestOwnQueries: systems that run at the same time use filters and maps of Ark of their own beside
// their handles. The race detector is the judge.
func TestOwnQueries(t *testing.T) {
	w := ecs.NewWorld()
	ecs.NewMap4[c0, c1, c2, c3](&w).NewBatch(500, &c0{1}, &c1{1}, &c2{1}, &c3{1})
	s := ark.New(start(t, 4), &w, ark.Options{Chunk: 16})
	for k := 1; k < 4; k++ {
		s.Add("own", func(a *ark.Access) ark.Body {
			filter := ecs.NewFilter1[c0](&w)
			read, h := ark.ReadOf[c0](a), writes[k](a)
			q := a.Query(read, h.c)
			return func(r *ark.Run) error {
				sum := uint64(0)
				for query := filter.Query(); query.Next(); {
					sum += query.Get().V
				}
				return r.Each(q, func(c *ark.Chunk) {
					for i := range c.Len() {
						v, _ := read.Get(c.Entity(i))
						*h.rows(c, i) += v.V * sum
					}
				})
			}
		})
	}
	for range 20 {
		frame(t, s)
	}
	for q := ecs.NewFilter3[c1, c2, c3](&w).Query(); q.Next(); {
		x, y, z := q.Get()
		require.Equal(t, []uint64{10001, 10001, 10001}, []uint64{x.V, y.V, z.V})
	}
}

// TestEntitiesWithoutComponents: a chunk knows the entities of a table that has no component.
func TestEntitiesWithoutComponents(t *testing.T) {
	w := ecs.NewWorld()
	for range 40 {
		w.NewEntity()
	}
	s := ark.New(nil, &w, ark.Options{Serial: true})
	seen := map[ecs.Entity]int{}
	s.Add("see", func(a *ark.Access) ark.Body {
		q := a.Query()
		return func(r *ark.Run) error {
			return r.Each(q, func(c *ark.Chunk) {
				for i := range c.Len() {
					seen[c.Entity(i)]++
				}
			})
		}
	})
	frame(t, s)
	frame(t, s)
	require.Len(t, seen, 40)
	for e, n := range seen {
		require.Equal(t, 2, n, "%v", e)
		require.True(t, w.Alive(e))
	}
}
