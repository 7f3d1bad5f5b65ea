package stress

import (
	"errors"
	"fmt"
	"sync"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Witness watches the tasks of a graph run and finds what must not be: a task that runs
// twice, or never, or before its launch, or before something that it had to wait for has
// ended, or on another thread than it asked for.
//
// Make one with [NewWitness]; it must not be copied.
//
// # Concurrency
//
// Launch is called by whoever launches the node, Begin and End by its body, Saw by anybody
// who has waited; Pin and Skip before the first launch, and Err after all has completed.
// What a node writes for this is plain memory, which its successors read: the graph alone
// orders the accesses, and under the race detector an order that it fails to make is found
// as a data race. The methods synchronize with nothing else, unless they find something.
type Witness struct {
	nodes []witnessed

	mu    sync.Mutex
	found []error
}

type witnessed struct {
	after  []int
	thread *namedthread.Thread
	skip   bool

	launched, begun, ended int // plain on purpose
}

// NewWitness returns a Witness for tasks of which node i must begin after all of after[i]
// have ended that are not skipped. Unlike in a [DAG], these may have greater numbers.
func NewWitness(after [][]int) *Witness {
	w := &Witness{nodes: make([]witnessed, len(after))}
	for i := range after {
		w.nodes[i].after = after[i]
	}
	return w
}

// Pin says that node i must run on th. Other nodes must run on workers.
func (w *Witness) Pin(i int, th *namedthread.Thread) { w.nodes[i].thread = th }

// Skip says that the body of node i must not run.
func (w *Witness) Skip(i int) { w.nodes[i].skip = true }

// Launch is called just before the launch of node i.
func (w *Witness) Launch(i int) { w.nodes[i].launched++ }

// Begin is the first thing that the body of node i calls. c is nil if it has no Context.
func (w *Witness) Begin(i int, c *taskgraph.Context) {
	n := &w.nodes[i]
	n.begun++
	switch {
	case n.skip:
		w.report("node %d ran, although it had to be skipped", i)
	case n.launched != 1:
		w.report("node %d ran after %d launches", i, n.launched)
	case n.begun != 1:
		w.report("node %d ran %d times", i, n.begun)
	}
	for _, p := range n.after {
		if q := &w.nodes[p]; !q.skip && q.ended == 0 {
			w.report("node %d began before node %d had ended", i, p)
		}
	}
	// What is bound to no thread runs on one that waits for it, too.
	th, err := namedthread.Current()
	if known := err == nil ||
		!errors.Is(err, errors.ErrUnsupported); known && n.thread != nil && th != n.thread {
		w.report("node %d ran on thread %v, not on %v", i, th, n.thread)
	} else if c != nil && (n.thread != nil && c.Thread() != n.thread ||
		n.thread == nil && c.Worker() < 0 || known && c.Thread() != th) {
		w.report("node %d, for thread %v, ran on %v, and on %v and worker %d by its Context", i,
			n.thread, th, c.Thread(), c.Worker())
	}
}

// End is the last thing that the body of node i calls before it returns, panics or exits.
func (w *Witness) End(i int) { w.nodes[i].ended++ }

// Saw is called by a goroutine that has seen the nodes complete.
func (w *Witness) Saw(nodes ...int) {
	for _, i := range nodes {
		if n := &w.nodes[i]; !n.skip && n.ended != 1 {
			w.report("node %d was complete, and had ended %d times", i, n.ended)
		}
	}
}

// Err returns all that was found, and which nodes did not run though they had to.
func (w *Witness) Err() error {
	for i := range w.nodes {
		if n := &w.nodes[i]; !n.skip && (n.begun != 1 || n.ended != 1) {
			w.report("node %d began %d times and ended %d times", i, n.begun, n.ended)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return errors.Join(w.found...)
}

func (w *Witness) report(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.found) < 20 {
		w.found = append(w.found, fmt.Errorf("stress: "+format, args...))
	}
}
