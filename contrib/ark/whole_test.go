package ark_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/contrib/ark"
	"github.com/mlange-42/ark/ecs"
)

// addToAll adds a system that gives all entities with a c0 for which it is wanted a c1 made of
// that.
func addToAll(s *ark.Schedule, wanted func(v uint64) bool) {
	s.Add("add", func(a *ark.Access) ark.Body {
		v, add := ark.ReadOf[c0](a), ark.AddTo[c1](a)
		q := a.Query(v).Without(ecs.C[c1]())
		return func(r *ark.Run) error {
			return r.Each(q, func(c *ark.Chunk) {
				for i, x := range v.Of(c) {
					if wanted(x.V) {
						add.Add(c.Commands(), c.Entity(i), c1{x.V + 1})
					}
				}
			})
		}
	})
}

// TestWholeTables: commands about all entities of a table move it as a whole, those about all but
// one do not, and either leaves the same as one by one. Whoever observes the world sees them one by
// one.
func TestWholeTables(t *testing.T) {
	const n = 100
	for _, test := range []struct {
		name     string
		missing  uint64
		observed bool
		together bool
	}{
		{"all", n, false, true},
		{"all but one", n / 2, false, false},
		{"all but the last", n - 1, false, false},
		{"all, observed", n, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, other := ecs.NewWorld(4), ecs.NewWorld(4)
			for _, w := range []*ecs.World{&w, &other} {
				ecs.ComponentID[c0](w)
				ecs.ComponentID[c1](w)
				m := ecs.NewMap1[c0](w)
				for i := range n {
					m.NewEntity(&c0{uint64(i)})
				}
			}
			var left []int // entities without a c1, whenever one has been given it
			if test.observed {
				without := ecs.NewFilter1[c0](&w).Without(ecs.C[c1]())
				ecs.Observe(ecs.OnAddComponents).With(ecs.C[c0]()).Do(func(ecs.Entity) {
					q := without.Query()
					left = append(left, q.Count())
					q.Close()
				}).Register(&w)
			}
			s := ark.New(start(t, 2), &w, ark.Options{Chunk: 8})
			addToAll(s, func(v uint64) bool { return v != test.missing })
			frame(t, s)

			var all []ecs.Entity
			for q := ecs.NewFilter1[c0](&other).Query(); q.Next(); {
				if q.Get().V != test.missing {
					all = append(all, q.Entity())
				}
			}
			m, v := ecs.NewMap1[c1](&other), ecs.NewMap1[c0](&other)
			for _, e := range all {
				m.Add(e, &c1{v.Get(e).V + 1})
			}
			require.Equal(t, contents(&other), contents(&w))
			require.Equal(t, test.together, ark.Together(s) > 0)
			if test.observed {
				for i, k := range left {
					require.Equal(t, n-1-i, k)
				}
				require.Len(t, left, n)
			}
		})
	}
}

// TestWholeTablesChanged: what another system has done to a table in the same flush is not undone
// or doubled by moving it as a whole.
func TestWholeTablesChanged(t *testing.T) {
	again := func(s *ark.Schedule, with ...ecs.Comp) {
		s.Add("add another", func(a *ark.Access) ark.Body {
			v, add := ark.ReadOf[c0](a), ark.AddTo[c2](a)
			q := a.Query(v).With(with...)
			return func(r *ark.Run) error {
				return r.Each(q, func(c *ark.Chunk) {
					for i := range c.Len() {
						add.Add(c.Commands(), c.Entity(i), c2{v.Of(c)[i].V + 7})
					}
				})
			}
		})
	}
	all := func(uint64) bool { return true }
	for _, test := range []struct {
		name     string
		add      func(s *ark.Schedule)
		c1s, c2s int // so many have one in the end
		together int
	}{
		{"moved away", func(s *ark.Schedule) { addToAll(s, all); again(s) }, 40, 40, 1},
		{"moved to", func(s *ark.Schedule) { addToAll(s, all); again(s, ecs.C[c1]()) }, 40, 20, 1},
		{"a new row", func(s *ark.Schedule) {
			s.Add("make", func(a *ark.Access) ark.Body {
				a.Commands()
				return func(r *ark.Run) error {
					r.Commands().Do(func(w *ecs.World) { ecs.NewMap1[c0](w).NewEntity(&c0{9}) })
					return nil
				}
			})
			addToAll(s, all)
		}, 40, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := ecs.NewWorld(4)
			ecs.NewMap1[c0](&w).NewBatch(20, &c0{1})
			ecs.NewMap2[c0, c1](&w).NewBatch(20, &c0{2}, &c1{2})
			s := ark.New(start(t, 2), &w, ark.Options{Chunk: 8})
			test.add(s)
			frame(t, s)
			require.Equal(t, test.together, ark.Together(s))
			n := 0
			for q := ecs.NewFilter1[c1](&w).Query(); q.Next(); n++ {
				require.Equal(t, uint64(2), q.Get().V) // 1 + 1 was added, or 2 was there
			}
			require.Equal(t, test.c1s, n)
			n = 0
			for q := ecs.NewFilter2[c0, c2](&w).Query(); q.Next(); n++ {
				x, y := q.Get()
				require.Equal(t, x.V+7, y.V)
			}
			require.Equal(t, test.c2s, n)
		})
	}
}
