package ark_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/contrib/ark"
	"github.com/mlange-42/ark/ecs"
)

type named struct{ name *string }

// TestVerify: systems that get round their handles are found, in both ways of running them, and a
// system that touches what it has declared is not.
func TestVerify(t *testing.T) {
	text := "a name"
	tests := []struct {
		name      string
		verify    ark.Verify // which finds it
		component string     // that is written without a declaration
		declared  bool       // or as read
		build     func(w *ecs.World, e ecs.Entity) func(a *ark.Access) ark.Body
	}{
		{
			"good",
			ark.VerifyOff,
			"",
			false,
			func(w *ecs.World, e ecs.Entity) func(a *ark.Access) ark.Body {
				return func(a *ark.Access) ark.Body {
					r, v := ark.ReadOf[c1](a), ark.WriteOf[c0](a)
					a.Commands()
					q := a.Query(v)
					return func(run *ark.Run) error {
						run.Commands().Do(func(w *ecs.World) { w.NewEntity() })
						return run.Each(q, func(c *ark.Chunk) {
							for i := range v.Of(c) {
								v.Of(c)[i].V += r.Of(c)[i].V
							}
							c.Commands().RemoveEntity(c.Entity(0))
						})
					}
				}
			},
		},
		{"writes what is not declared", ark.VerifyWrites, "ark_test.c1", false,
			func(w *ecs.World, e ecs.Entity) func(a *ark.Access) ark.Body {
				m := ecs.NewMap1[c1](w)
				return func(a *ark.Access) ark.Body {
					ark.WriteOf[c0](a)
					return func(*ark.Run) error { m.Get(e).V++; return nil }
				}
			}},
		{"writes by an iteration of Ark", ark.VerifyWrites, "ark_test.c1", false,
			func(w *ecs.World, e ecs.Entity) func(a *ark.Access) ark.Body {
				f := ecs.NewFilter1[c1](w)
				return func(a *ark.Access) ark.Body {
					return func(*ark.Run) error {
						for q := f.Query(); q.Next(); {
							q.Get().V++
						}
						return nil
					}
				}
			}},
		{"writes what is declared as read", ark.VerifyWrites, "ark_test.c1", true,
			func(w *ecs.World, e ecs.Entity) func(a *ark.Access) ark.Body {
				return func(a *ark.Access) ark.Body {
					r := ark.ReadOf[c1](a)
					q := a.Query(r)
					return func(run *ark.Run) error {
						return run.Each(q, func(c *ark.Chunk) { r.Of(c)[0].V++ })
					}
				}
			}},
		{
			"reads",
			ark.VerifyReads,
			"",
			false,
			func(w *ecs.World, e ecs.Entity) func(a *ark.Access) ark.Body {
				m := ecs.NewMap1[c1](w)
				return func(a *ark.Access) ark.Body {
					v := ark.WriteOf[c0](a)
					return func(*ark.Run) error { v.Get(e).V += m.Get(e).V; return nil }
				}
			},
		},
		{
			"reads a pointer",
			ark.VerifyReads,
			"",
			false,
			func(w *ecs.World, e ecs.Entity) func(a *ark.Access) ark.Body {
				m := ecs.NewMap1[named](w)
				return func(a *ark.Access) ark.Body {
					return func(*ark.Run) error { _ = len(*m.Get(e).name); return nil }
				}
			},
		},
		{
			"reads to decide",
			ark.VerifyReads,
			"",
			false,
			func(w *ecs.World, e ecs.Entity) func(a *ark.Access) ark.Body {
				m := ecs.NewMap1[c1](w)
				return func(a *ark.Access) ark.Body {
					a.Commands()
					return func(run *ark.Run) error {
						if m.Get(e).V < 100 {
							run.Commands().RemoveEntity(e)
						}
						return nil
					}
				}
			},
		},
	}
	sys := start(t, 2)
	for _, test := range tests {
		for _, serial := range []bool{false, true} {
			for verify := ark.VerifyOff; verify <= ark.VerifyReads; verify++ {
				w := ecs.NewWorld()
				ecs.NewMap2[c0, c1](&w).NewBatch(3, &c0{4}, &c1{5})
				e := ecs.NewMap3[c0, c1, named](&w).NewEntity(&c0{4}, &c1{5}, &named{&text})
				s := ark.New(sys, &w, ark.Options{Serial: serial, Verify: verify})
				ark.RunInPlace(s)
				s.Add(test.name, test.build(&w, e))
				err := s.RunFrame(context.Background())
				if test.verify == ark.VerifyOff || verify < test.verify {
					require.NoError(t, err, test.name)
					if test.name == "good" { // it has run once, whatever else was tried
						left := 0
						for q := ecs.NewFilter1[c0](&w).Query(); q.Next(); left++ {
							require.Equal(t, uint64(9), q.Get().V)
						}
						all := ecs.NewFilter0(&w).Query()
						require.Equal(t, []int{2, 3}, []int{left, all.Count()})
						all.Close()
					}
					continue
				}
				var access *ark.AccessError
				require.ErrorAs(t, err, &access, test.name)
				require.Equal(t, test.name, access.System)
				require.Equal(t, test.component, access.Component)
				require.Equal(t, test.declared, access.Declared)
			}
		}
	}
}
