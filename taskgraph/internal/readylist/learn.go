package readylist

import (
	"cmp"
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// A learner decides whether the runs of a graph use a list, and learns the ranks of its tasks.
type learner struct {
	runs   uint32
	on     bool  // runs use the list
	learns bool  // the current run does, and says what its tasks cost
	began  int64 // when the current run began, if it is measured; or 0

	costs []uint32 // by task: nanoseconds; 0: unknown
	ranks []uint64 // by task: the longest way from its begin to the end of the graph
	near  uint64   // no difference of ranks up to this one is worth leaving a task at hand
}

const (
	worthFrom  = 2000 // nanoseconds of a run for each task from which on it is worth a list,
	worthUntil = 1000 // and until which it remains so
	rarely     = 256  // after the first runs so many pass until one is measured
	nearPart   = 12   // what part of the longest way is near
	longest    = 1 << 29
)

// isMeasured reports whether the run of a number is measured: the first, second, fourth, eighth,
// and so on, until they are rare.
func isMeasured(run uint32) bool { return run&(run-1) == 0 || run%rarely == 0 }

// Begin begins a run of all tasks of p, and reports whether it uses the list.
func (l *List) Begin(p *plan.Plan) bool {
	l.runs++
	l.learns, l.began = false, 0
	if isMeasured(l.runs) {
		l.learns, l.began = l.on, atomics.Now()
	}
	if l.on && (l.tasks == nil || isMeasured(l.runs-1)) { // the last run has learned something
		l.order(p)
	}
	return l.on
}

// End ends the run of so many tasks.
func (l *List) End(tasks int) {
	if l.began != 0 {
		l.took(atomics.Now()-l.began, tasks)
	}
}

// took learns from a measured run that took so many nanoseconds.
func (l *List) took(run int64, tasks int) {
	l.began = 0
	each := run / int64(tasks)
	l.Settle(each >= worthFrom || l.on && each >= worthUntil)
}

// Settle says whether runs use the list, until a measured run says something else.
func (l *List) Settle(on bool) { l.on = on }

// Learns reports whether Cost should be called in the current run.
func (l *List) Learns() bool { return l.learns }

// Cost says for how many nanoseconds the body of task i has run. One that was held up counts for at
// most four times what it has cost before.
func (l *List) Cost(i uint32, took int64) {
	now, old := uint32(max(0, min(took, longest))), l.costs[i]
	if old != 0 {
		now = (old + min(now, 4*old)) / 2
	}
	l.costs[i] = max(1, now)
}

// order finds the ranks, and orders the tasks by them.
func (l *List) order(p *plan.Plan) {
	if l.tasks == nil {
		n := p.Len()
		l.costs, l.ranks = make([]uint32, n), make([]uint64, n)
		l.tasks, l.place = make([]uint32, 0, n), make([]uint32, n)
		l.words = make([]atomics.Uint64, (n+511)/512*8) // lines of the cache
	}
	l.tasks = p.InOrder(l.tasks[:0], l.place)
	var only [1]plan.Edge
	for _, i := range slices.Backward(l.tasks) {
		var after uint64
		for _, e := range p.Dependents(i, &only) {
			after = max(after, l.ranks[e.To()])
		}
		l.ranks[i] = after + uint64(max(1, l.costs[i]))
	}
	slices.SortStableFunc(l.tasks, func(i, j uint32) int {
		return cmp.Compare(l.ranks[j], l.ranks[i])
	})
	l.near = l.ranks[l.tasks[0]] / nearPart
	for at, i := range l.tasks {
		l.place[i] = uint32(at)
	}
}
