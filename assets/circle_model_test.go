//go:build modelcheck

package assets

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/assets/internal/once"
	"github.com/heddle-go/heddle/assets/internal/turn"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestModelCircle: several ask for resources that contain each other, each for another one, and one
// of them lets go again with the whole tree, while the bookkeeping is done by whoever gets to it.
// Nobody waits for ever, the edges that are cut are those of the rule, and when nobody holds
// anything nothing is left.
func TestModelCircle(t *testing.T) {
	for _, c := range []struct {
		graph knower
		roots []ID
		cut   map[ID]string
	}{
		{knower{"a": {"b"}, "b": {"a"}}, []ID{"a", "b"}, map[ID]string{"a": "[]", "b": "[a]"}},
		{knower{"a": {"b"}, "b": {"c"}, "c": {"a"}}, []ID{"a", "c"},
			map[ID]string{"a": "[]", "c": "[a]"}},
		{knower{"a": {"c"}, "b": {"c"}, "c": {"a", "b"}}, []ID{"a", "b"},
			map[ID]string{"a": "[]", "b": "[]"}},
	} {
		t.Run(fmt.Sprint(c.graph), func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{Steps: 50_000, Explorers: []modelcheck.Explorer{
				modelcheck.DepthFirst(0, 500),
				modelcheck.DepthFirst(1, modelcheck.Scaled(20_000)/4),
				modelcheck.RandomWalk(modelcheck.Scaled(20_000) / 8)}},
				func(m *modelcheck.Model) { circle(m, c.graph, c.roots, c.cut) })
		})
	}
}

// circle is one scene of TestModelCircle.
func circle(model *modelcheck.Model, graph knower, roots []ID, cut map[ID]string) {
	var m *Manager
	model.SetUp(func() {
		sys := taskgraph.Start(taskgraph.Options{Workers: 1, Idle: taskgraph.IdleSleep})
		registry, err := NewMemory()
		model.Assert(err == nil, "%v", err)
		m = New(sys, Options{Registry: registry, Loader: graph})
		// One that finds keys alike in every execution, and one that needs no worker.
		m.table = once.NewHash[ID, life](func(id ID) uint64 { return uint64(id[0]) })
		m.turn = turn.New(m.note, func() { m.turn.Drain() })
	})
	handles := make([]*Handle, len(roots))
	for i, id := range roots {
		model.Thread(func() {
			handles[i] = m.Acquire(id)
			if i > 0 {
				m.ReleaseTree(handles[i])
			}
		})
	}
	model.After(func() {
		h := handles[0]
		model.Assert(h.State() == Ready, "%s waits for ever", h.ID())
		for id := range graph {
			model.Assert(m.Query(id) == Ready, "%s is %v", id, m.Query(id))
		}
		if want, ok := cut[h.ID()]; ok {
			model.Assert(fmt.Sprint(h.Cut()) == want, "cut from %s: %v", h.ID(), h.Cut())
		}
		m.ReleaseTree(h)
		model.Assert(m.Stats().Resources == 0, "%d are left", m.Stats().Resources)
	})
}
