package assets

import "github.com/heddle-go/heddle/internal/atomics"

// Stats is what a Manager counted since New.
type Stats struct {
	Started   int64 // loads, reloads included
	Ready     int64 // of these became ready
	Failed    int64
	Abandoned int64 // nobody wanted them any more
	Unloaded  int64 // of those that were ready or had failed
	Handles   int64 // not released
	Resources int64 // that are there, in whatever state
	Bytes     int64 // of those that are ready
}

type counts struct{ started, ready, failed, abandoned, unloaded, bytes atomics.Int64 }

// Stats returns what was counted so far. While loads and releases are under way the figures are of
// different moments.
func (m *Manager) Stats() Stats {
	c := &m.counts
	return Stats{Started: c.started.Load(), Ready: c.ready.Load(), Failed: c.failed.Load(),
		Abandoned: c.abandoned.Load(), Unloaded: c.unloaded.Load(), Handles: m.handles.Load(),
		Resources: int64(m.table.Len()), Bytes: c.bytes.Load()}
}
