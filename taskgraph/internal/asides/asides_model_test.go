//go:build modelcheck

package asides_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/asides"
)

// A work is done by an aside in the place of a user.
type work struct {
	of   *user
	dies bool // by a Goexit
}

// A user has works done. Nothing of it is atomic: one goroutine at a time goes on.
type user struct{ done, died int }

func newPool() *asides.Pool[work] {
	return &asides.Pool[work]{
		Start: func(a *asides.Aside[work]) {
			atomics.Go(func() {
				defer func() { _ = recover() }()
				a.Main()
			})
		},
		Parker: func() *park.Parker { return park.New(park.Go) },
		Do: func(w *work) {
			w.of.done++
			if w.dies {
				w.of.died++
				panic("it stands for a Goexit, which the checker does not allow")
			}
		},
	}
}

// do has one work done for each letter: r returns, d dies.
func (u *user) do(m *modelcheck.Model, p *asides.Pool[work], script string) {
	for i, letter := range script {
		a := p.Get()
		a.Work = work{u, letter == 'd'}
		returned := a.Run()
		m.Assert(returned == (letter == 'r'), "work %d has returned: %v", i, returned)
		m.Assert(u.done == i+1, "%d works are done after %d", u.done, i+1)
		if returned {
			a.Work = work{}
			p.Put(a)
		}
	}
}

// TestModelAsides: each work is done once, while its user sleeps; and no aside is left when the
// pool has ended, however late it was given back.
func TestModelAsides(t *testing.T) {
	for _, c := range []struct {
		users []string
		bound int
	}{
		{[]string{"r"}, 2}, {[]string{"rr"}, 2}, {[]string{"dr"}, 2}, {[]string{"r", "r"}, 1},
		{[]string{"rr", "d"}, 1},
	} {
		t.Run(fmt.Sprint(c.users), func(t *testing.T) {
			modelcheck.CheckUpTo(t, c.bound, race.Enabled, func(m *modelcheck.Model) {
				p, users := newPool(), make([]user, len(c.users))
				for i, script := range c.users {
					m.Thread(func() { users[i].do(m, p, script) })
				}
				m.Thread(p.End)
				m.After(func() {
					for i, script := range c.users {
						m.Assert(users[i].done == len(script), "user %d has had %d works done", i,
							users[i].done)
					}
				})
			})
		})
	}
}
