package tilelapack

import (
	"context"
	"errors"

	"github.com/heddle-go/heddle/contrib/gonum/internal/tile"
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// A kind is what a job does.
type kind uint8

const (
	potrf kind = iota // factor tile (i, i)
	trsm              // solve for tile (i, k)
	syrk              // update tile (i, i) by tile (i, k)
	gemm              // update tile (i, j) by tiles (i, k) and (j, k)

	luPanel // factor columns k
	luSolve // exchange rows of columns j as in panel k, and solve for their first ones
	luGemm  // update rows i of columns j by panel k

	qrPanel // factor columns k
	qrApply // apply the reflectors of panel k to columns j
)

// A job is a task of a plan.
type job struct {
	p       *plan
	kind    kind
	i, j, k int32
}

// A shape is what two calls have in common that can use the same plan.
type shape struct {
	what  kind // the first kind of its tasks
	upper bool
	m, n  int
}

// A plan is the graph for one shape, and the operands of the call that it serves.
type plan struct {
	shape
	side  int // of tiles of a Cholesky factor, or the columns of a panel
	rows  int // of tiles of an LU factor
	graph *taskgraph.Graph
	jobs  []job // in an order in which one goroutine may do them

	a      []float64
	lda    int
	pivots []int
	tau    []float64
	began  bool // the first job has; nobody else runs before it
	failed bool // written by panels only, which come one after the other

	panel []float64 // the columns that are being factored, row after row
	t     []float64 // triangular factors of the block reflectors
	top   []float64 // and their first rows
}

// errNotPositive ends a run: what depends on the failed task is skipped.
var errNotPositive = errors.New("tilelapack: not positive definite")

// Run implements [taskgraph.Job].
func (o *job) Run(*taskgraph.Context) error {
	s := tile.GetSpace()
	defer tile.PutSpace(s)
	return o.do(s)
}

func (o *job) do(s *tile.Space) error {
	p, i, j, k := o.p, int(o.i), int(o.j), int(o.k)
	if o == &p.jobs[0] {
		p.began = true
	}
	switch o.kind {
	case potrf, trsm, syrk, gemm:
		return p.cholesky(s, o.kind, i, j, k)
	case luPanel:
		p.luPanel(s, k)
	case luSolve:
		p.luSolve(s, j, k)
	case luGemm:
		p.luGemm(s, i, j, k)
	case qrPanel:
		p.qrPanel(s, k)
	case qrApply:
		p.qrApply(s, j, k)
	}
	return nil
}

// run runs the plan on sys and returns the failure of a task, errNotPositive.
func (p *plan) run(sys *taskgraph.System) error {
	p.began, p.failed = false, false
	err := sys.RunGraph(context.Background(), p.graph)
	switch {
	case err == nil || errors.Is(err, errNotPositive):
		return err
	case errors.Is(err, graphevent.ErrClosed) && !p.began:
		return p.runAlone()
	}
	panic(err)
}

// runAlone does all jobs here.
func (p *plan) runAlone() error {
	s := tile.GetSpace()
	defer tile.PutSpace(s)
	for i := range p.jobs {
		if err := p.jobs[i].do(s); err != nil {
			return err
		}
	}
	return nil
}

// A sketch collects the jobs of a plan and their order.
type sketch struct {
	p     *plan
	b     taskgraph.GraphBuilder
	tasks int // how many there will be: a job must not move once it is a task
}

func newSketch(s shape, tasks int) *sketch {
	return &sketch{p: &plan{shape: s, jobs: make([]job, 0, tasks)}, tasks: tasks}
}

// add adds a job that comes after others, of which the zero GraphTask is none.
func (d *sketch) add(what kind, i, j, k int, urgent bool, after ...taskgraph.GraphTask,
) taskgraph.GraphTask {
	if len(d.p.jobs) == d.tasks {
		panic("tilelapack: more tasks than were counted")
	}
	d.p.jobs = append(d.p.jobs, job{d.p, what, int32(i), int32(j), int32(k)})
	t := d.b.Task(taskgraph.RunJob(&d.p.jobs[len(d.p.jobs)-1]))
	for _, a := range after {
		if a != (taskgraph.GraphTask{}) {
			t.After(a)
		}
	}
	if urgent {
		t.Priority(taskgraph.PriorityHigh)
	}
	return t
}

// plan returns what has been sketched.
func (d *sketch) plan() *plan {
	g, err := d.b.Build()
	if err != nil {
		panic(err) // a cycle: each job is after earlier ones
	}
	d.p.graph = g
	return d.p
}
