//go:build modelcheck

package cast_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/cast"
)

// TestModelCast: each part is called once, or is withdrawn; a meeting takes place for all or for
// none, and after all have come; and the cast is over once, when nobody calls any more.
func TestModelCast(t *testing.T) {
	for _, c := range []struct {
		parts     int
		meet      bool
		withdraws int
		quits     bool // the last holder does, and does not come
	}{
		{1, false, 1, false},
		{2, false, 1, false},
		{2, true, 0, false},
		{2, true, 1, false},
		{2, true, 1, true},
		{1, false, 2, false},
		{1, true, 2, false},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{
				Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0), modelcheck.DPOR(0)},
			}, func(m *modelcheck.Model) {
				// Plain: what each holder does is seen by the last, and in a meeting by all.
				var come, calls [2]int
				over := 0
				b := &cast.Cast{Meet: c.meet, Over: func() { over++ },
					Thrown: func(any) error { return nil },
					Parker: func() *park.Parker { return park.New(park.OS) }}
				parts := make([]*cast.Part, c.parts)
				for i := range parts {
					parts[i] = &cast.Part{Name: fmt.Sprint(i), Recall: func() {}, Call: func() {
						calls[i]++
						m.Assert(over == 0, "a call after the end")
						m.Assert(!c.meet || c.quits || come[0]+come[1] == c.parts,
							"a call before all have come")
					}}
				}
				b.Begin(parts)
				for i, p := range parts {
					m.Thread(func() {
						if c.quits && i == c.parts-1 {
							p.Quit()
							return
						}
						come[i]++
						p.Come()
					})
				}
				for range c.withdraws {
					m.Thread(b.Withdraw)
				}
				b.Leave()
				m.After(func() {
					m.Assert(over == 1 && b.IsOver(), "over %d times", over)
					missing := len(b.Missing())
					all := c.parts
					if c.quits {
						all--
					}
					m.Assert(len(b.Awaited()) == 0 && len(b.Running()) == 0, "somebody is awaited")
					for i := range parts {
						m.Assert(calls[i] <= 1, "part %d is called twice", i)
					}
					n := calls[0] + calls[1]
					m.Assert(!c.meet || n == 0 || n == all, "%d of %d met", n, all)
					m.Assert(!c.meet || b.IsCalledOff() == (n == 0), "called off, with %d", n)
					m.Assert(c.meet || n+missing == all ||
						c.quits && n+missing == all+1, "%d ran, %d are missing", n, missing)
				})
			})
		})
	}
}
