package farm

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
)

// A presence is what a worker says of itself once a second.
type presence struct {
	WorkerStatus
	heard time.Time
}

const (
	presenceEvery = time.Second
	presenceFor   = 3500 * time.Millisecond
	maxPresence   = 64 << 10
	maxWorkers    = 10_000
)

// heardOf notes what a worker says. What is no such message is ignored.
func (f *Farm) heardOf(m *nats.Msg) {
	var p presence
	if len(m.Data) > maxPresence || json.Unmarshal(m.Data, &p) != nil || checkName(p.ID) != nil {
		return
	}
	p.heard = time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.Slots <= 0 {
		delete(f.workers, p.ID)
	} else if len(f.workers) < maxWorkers {
		f.workers[p.ID] = p
	}
}

// slotsFor returns how many jobs of a kind workers run at a time.
func (f *Farm) slotsFor(id jobID) int {
	name := id.String()
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for who, p := range f.workers {
		if now.Sub(p.heard) > presenceFor {
			delete(f.workers, who)
		} else if slices.Contains(p.Jobs, name) {
			n += p.Slots
		}
	}
	return n
}
