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
