package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// A queens counts the ways to place the remaining queens on a board, given the columns and
// diagonals that are taken.
type queens struct {
	n, row            uint
	cols, left, right uint
	count             int
}

var queensPool = sync.Pool{New: func() any { return new([16]queens) }}

func (q *queens) Run(c *taskgraph.Context) error {
	if q.row == q.n {
		q.count = 1
		return nil
	}
	kids := queensPool.Get().(*[16]queens)
	var events [16]taskgraph.Event
	launched := 0
	for free := (1<<q.n - 1) &^ (q.cols | q.left | q.right); free != 0; free &= free - 1 {
		bit := free & -free
		k := &kids[launched]
		*k = queens{n: q.n, row: q.row + 1, cols: q.cols | bit, left: (q.left | bit) << 1,
			right: (q.right | bit) >> 1}
		if q.row > 3 {
			if err := k.Run(c); err != nil {
				return err
			}
		} else {
			events[launched] = c.Spawn(taskgraph.RunJob(k))
		}
		launched++
	}
	err := c.WaitUntilTasksComplete(context.Background(), events[:launched]...)
	for i := range launched {
		q.count += kids[i].count
	}
	queensPool.Put(kids)
	return err
}

func TestJobNQueens(t *testing.T) {
	for _, workers := range []int{1, 3} {
		s := start(t, taskgraph.Options{Workers: workers})
		for n, want := range map[uint]int{4: 2, 6: 4, 8: 92} {
			q := &queens{n: n}
			wait(t, s, s.Task(taskgraph.RunJob(q)).Launch())
			require.Equal(t, want, q.count)
		}
	}
}

// fibJob is a tree of tasks without one allocation: nodes and children are reused.
type fibJob struct {
	n, result int
	kids      *[2]fibJob
}

func (f *fibJob) Run(c *taskgraph.Context) error {
	if f.n < 2 {
		f.result = f.n
		return nil
	}
	if f.kids == nil {
		f.kids = new([2]fibJob)
	}
	f.kids[0].n, f.kids[1].n = f.n-1, f.n-2
	e := c.Spawn(taskgraph.RunJob(&f.kids[0]))
	if err := f.kids[1].Run(c); err != nil {
		return err
	}
	err := c.WaitUntilTasksComplete(context.Background(), e)
	f.result = f.kids[0].result + f.kids[1].result
	return err
}

func TestJobAllocations(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	root := &fibJob{n: 15}
	run(t, s, func(c *taskgraph.Context) error {
		fib := func() {
			if err := c.WaitUntilTasksComplete(bg, c.Spawn(taskgraph.RunJob(root))); err != nil {
				t.Error(err)
			}
		}
		fib()
		assert.Less(t, testing.AllocsPerRun(10, fib), 1.0)
		assert.Equal(t, 610, root.result)
		return nil
	})
}

type failingJob struct{ err error }

func (f failingJob) Run(*taskgraph.Context) error { return f.err }

func TestJobFails(t *testing.T) {
	s := start(t, taskgraph.Options{})
	err := errors.New("no")
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg,
		s.Task(taskgraph.RunJob(failingJob{err})).Launch()), err)
	require.PanicsWithValue(t, "taskgraph: RunJob of a nil Job", func() { taskgraph.RunJob(nil) })
}

// A blur is a task with arguments and without a closure.
type blur struct {
	row []int
	sum int
}

func (b *blur) Run(*taskgraph.Context) error {
	for _, v := range b.row {
		b.sum += v
	}
	return nil
}

func ExampleJob() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	image := [][]int{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}
	jobs := make([]blur, len(image))
	events := make([]taskgraph.Event, len(image))
	for i, row := range image {
		jobs[i].row = row
		events[i] = sys.Task(taskgraph.RunJob(&jobs[i])).Launch()
	}
	if err := sys.WaitUntilTasksComplete(ctx, events...); err != nil {
		fmt.Println(err)
	}
	fmt.Println(jobs[0].sum, jobs[1].sum, jobs[2].sum)
	// Output: 6 15 24
}
