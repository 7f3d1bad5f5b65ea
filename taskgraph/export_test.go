package taskgraph

// BlockedTicks is how many ticks of the monitor it takes to see that a body blocks.
const BlockedTicks = blockedTicks

// WatchTick is how long one takes at least.
const WatchTick = watchTick

// Probes returns how many ticks the monitor has begun.
func (s *System) Probes() uint32 { return s.kern.Probes() }

// Active returns how many workers are not idle.
func (s *System) Active() int {
	n, _ := s.kern.Activity()
	return n
}

// NoMoreParcels lets calls from outside find that there are as many parcels as there can be.
func (s *System) NoMoreParcels() { s.calls.freshParcel.Store(maxParcels) }

// OrderedFrom is orderedFrom.
const OrderedFrom = orderedFrom

// Numbers returns the first numbers of the tasks, in the order in which they lie; nil if that is as they were added.
func (g *Graph) Numbers() []uint32 { return g.numbers }

// Dependents returns those of task i, as they lie, and what their edges say of the number of their predecessors.
func (g *Graph) Dependents(i uint32) (tasks, counts []uint32) {
	var only [1]uint32
	for _, e := range g.dependents(i, &only) {
		tasks, counts = append(tasks, e&edgeMask), append(counts, e>>edgeBits&edgeMany)
	}
	return tasks, counts
}
