//go:build modelcheck

package watch_test

import (
	"testing"

	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/watch"
)

// TestModelWatch: what All returns of a body is of that body, whoever begins and ends at its place
// meanwhile, and a body that runs for all the time is seen.
func TestModelWatch(t *testing.T) {
	for _, c := range []struct {
		name    string
		lasting bool
		others  int
	}{
		{"one place, used again", false, 0},
		{"a body that lasts", true, 0},
		{"stacks come and go", true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{LockFree: true,
				Explorers: append([]modelcheck.Explorer{modelcheck.DepthFirst(2, 0)},
					modelcheck.Beyond(modelcheck.Scaled(60_000)/6)...)},
				func(m *modelcheck.Model) {
					var l watch.List[uint64]
					graphs := [5]uint64{0, 1, 2, 3, 4}
					begin := func(s *watch.Stack[uint64], below int,
						ref uint64) *watch.Body[uint64] {
						return s.Begin(below, 10+ref, ref, &graphs[ref], uint32(20+ref))
					}
					var lasts *watch.Stack[uint64]
					if c.lasting {
						lasts = l.Get()
						begin(lasts, 0, 4)
					}
					var ended [2]bool
					run := func(i int, refs ...uint64) {
						s := l.Get()
						for _, ref := range refs {
							begin(s, 0, ref).End()
						}
						l.Put(s)
						ended[i] = true
					}
					m.Thread(func() { run(0, 1, 2) })
					if c.others > 0 {
						m.Thread(func() { run(1, 3) })
					}
					m.Thread(func() {
						found := false
						for _, b := range l.All(func(uint64) bool { return false }) {
							m.Assert(b.GID == 10+b.Ref && b.Of == &graphs[b.Ref] &&
								uint64(b.Part) == 20+b.Ref && b.Top,
								"of body %d is seen: %+v", b.Ref, b)
							found = found || b.Ref == 4
						}
						m.Assert(found == c.lasting, "the body that lasts is not seen")
					})
					m.After(func() {
						left := len(l.All(func(uint64) bool { return false }))
						all := ended[0] && (c.others == 0 || ended[1])
						m.Assert(!all || left == 0 || c.lasting && left == 1, "%d bodies are left",
							left)
					})
				})
		})
	}
}

// TestModelStacks: goroutines that are watched for the first time at the same time are all seen.
func TestModelStacks(t *testing.T) {
	modelcheck.CheckAll(t, func(m *modelcheck.Model) {
		var l watch.List[uint64]
		for ref := range uint64(2) {
			m.Thread(func() { l.Get().Begin(0, 0, 1+ref, nil, 0) })
		}
		m.After(func() {
			seen := l.All(func(uint64) bool { return false })
			m.Assert(len(seen) == 2, "%d bodies of 2 are seen", len(seen))
		})
	})
}
