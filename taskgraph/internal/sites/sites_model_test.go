//go:build modelcheck

package sites_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/sites"
)

// TestModelSites: who reads the site of an event while the place is written for the next one sees
// where the event was made, or nothing.
func TestModelSites(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{
		Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0), modelcheck.DPOR(0)},
		LockFree:  true,
	}, func(m *modelcheck.Model) {
		var table sites.Table
		_, _, line, _ := runtime.Caller(0)
		table.Note(0, 1, 0)
		m.Thread(func() { table.Note(0, 2, 0) })
		m.Thread(func() {
			for ref := range 2 {
				at := table.Of(0, uint64(ref+1))
				want := fmt.Sprintf("sites_model_test.go:%d", line+ref+1)
				m.Assert(at == "" || at == want, "event %d was made at %s", ref+1, at)
			}
		})
	})
}

// TestModelNotes: who reads what was noted of an event while somebody notes it again, or notes
// something of the next one, sees what was noted of the event, or nothing.
func TestModelNotes(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{
		Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0), modelcheck.DPOR(0)},
		LockFree:  true,
	}, func(m *modelcheck.Model) {
		var notes sites.Notes[uint64]
		put := func(ref uint64) { notes.Put(0, ref, &ref) }
		put(1)
		ended := false // or it was stopped for ever
		m.Thread(func() {
			put(1)
			put(2)
			ended = true
		})
		m.Thread(func() {
			for _, ref := range []uint64{1, 2, 1} {
				x := notes.Of(0, ref)
				m.Assert(x == nil || *x == ref, "of event %d it has what was noted of another", ref)
			}
		})
		m.After(func() {
			if !ended {
				return
			}
			x := notes.Of(0, 2)
			m.Assert(x != nil && *x == 2, "the last note is lost")
			m.Assert(notes.Of(0, 1) == nil, "the first event is still there")
		})
	})
}
