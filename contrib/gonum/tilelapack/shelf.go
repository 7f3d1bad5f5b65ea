package tilelapack

import (
	"slices"
	"sync"
)

// A shelf keeps plans that no call uses, the latest ones last.
type shelf struct {
	mu    sync.Mutex
	plans []*plan
	tasks int // of all of them
}

// The plans of about so many tasks and no more than so many plans are kept.
const (
	keptTasks = 1 << 17
	keptPlans = 16
)

// take returns a plan of the shape, which draw makes if there is none.
func (h *shelf) take(s shape, draw func(shape) *plan) *plan {
	if p := h.find(s); p != nil {
		return p
	}
	return draw(s)
}

func (h *shelf) find(s shape) *plan {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, p := range slices.Backward(h.plans) {
		if p.shape == s {
			h.plans = slices.Delete(h.plans, i, i+1)
			h.tasks -= len(p.jobs)
			return p
		}
	}
	return nil
}

// put keeps p for later calls, and drops those that have not been used for longest.
func (h *shelf) put(p *plan) {
	p.a, p.pivots, p.tau = nil, nil, nil
	h.mu.Lock()
	defer h.mu.Unlock()
	h.plans = append(h.plans, p)
	h.tasks += len(p.jobs)
	for len(h.plans) > keptPlans || h.tasks > keptTasks && len(h.plans) > 1 {
		h.tasks -= len(h.plans[0].jobs)
		h.plans = slices.Delete(h.plans, 0, 1)
	}
}
