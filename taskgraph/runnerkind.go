package taskgraph

import (
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/labels"
	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
	"github.com/heddle-go/heddle/taskgraph/internal/watch"
)

// maxParked is how many goroutines of one kind may sleep in the operating system at a time,
// each on a thread of its own; further ones sleep as goroutines, which are slower to wake.
const maxParked = 256

// A runner is a goroutine that runs bodies. README.md has a table of the kinds of runners.
type runner struct {
	*kernel.Runner                // if r holds a slot or waits for one; else nil
	named          *threadRunner  // the runner itself, if it is a named thread; or nil
	alone          *waits.Waiter  // what r sleeps on if not on a kernel.Runner: see isAlone
	o              *owner         // of the slot, or nil
	lane           *flight.Lane   // of r's records, or nil
	detached       *kernel.Runner // the Runner while inside Blocking, else nil
	detachedAt     int            // the depth of the body that is inside Blocking
	sys            *System

	// The bodies on this goroutine's stack, each run by a wait of the one before it. The contexts
	// are reused.
	frames []*Context
	depth  int

	woken uint32 // the last value of outsiders.woken that r has seen

	exited string // the task whose Goexit unwinds the stack

	slotWait waits.Wait    // see ownWait
	waits    []*waits.Wait // see waitAt

	lookout *watch.Stack[Graph] // if bodies are watched
	labels  labels.Goroutine    // if bodies are labelled

	credit loopcost.Credit // of its bodies, for cheap loops
	missed loopcost.Missed

	next  Body // of the task whose round ends, if that is another one than before
	above int  // how many tasks are to run before the next round

	linger linger // of the wait that goes on

	kind runnerKind
}

// A runnerKind says what kind of goroutine a runner is. It never changes.
type runnerKind uint8

const (
	workerRunner      runnerKind = iota // a worker, or a replacement of one
	callerRunner                        // a goroutine that calls System.Run
	namedThreadRunner                   // a named thread
	ownThreadRunner                     // the own thread of a task
	launcherRunner                      // a goroutine that launches tasks without room
)

func (r *runner) onSlot() bool { return r.o != nil }

func (r *runner) onThread() bool { return r.named != nil }

// isAlone reports whether r sleeps without the kernel's knowledge: on the own thread of a task, in
// a launcher, and inside Blocking. Then its waits run nothing.
func (r *runner) isAlone() bool { return r.alone != nil }

func (r *runner) isBlocking() bool { return r.detached != nil && r.depth == r.detachedAt }

func (r *runner) namedThread() *namedthread.Thread {
	if r.named == nil {
		return nil
	}
	return r.named.thread
}

func (r *runner) push(e Event) *Context {
	if r.depth == len(r.frames) {
		r.frames = append(r.frames, cacheline.New[Context]())
	}
	c := r.frames[r.depth]
	r.depth++
	*c = Context{r: r, ev: e}
	return c
}

func (r *runner) pop(c *Context) {
	if c.lent { // forks were left after its last wait
		c.exitFor()
	}
	r.depth--
	if r.o != nil {
		r.o.running = r.depth > 0
	}
	c.ev = Event{}
	if c.graph != nil {
		c.graph = nil
	}
	if c.ctx != nil {
		c.ctx = nil
		if c.merged != nil {
			c.unmerge()
		}
	}
}
