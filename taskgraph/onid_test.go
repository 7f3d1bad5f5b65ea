package taskgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// where is a body that tells on which named thread it runs, "" for none.
func where(name *string) taskgraph.Body {
	return taskgraph.Run(func(c *taskgraph.Context) error {
		*name = ""
		if c.Thread() != nil {
			*name = c.Thread().Name()
		}
		return nil
	})
}

func TestOnID(t *testing.T) {
	reg, ths := threads(t, "Game", "Render")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	var on string
	for _, f := range []taskgraph.Fallback{taskgraph.FallbackError, taskgraph.FallbackAnywhere} {
		for _, th := range ths {
			for q := range namedthread.Queue(2) {
				for p := range namedthread.Priority(2) {
					wait(t, s, s.Task(where(&on)).OnID(th.ID().WithQueue(q).WithPriority(p),
						f).Launch())
					require.Equal(t, th.Name(), on)
				}
			}
		}
	}
}

// The queue and the priority of the ID are those on the thread.
func TestOnIDQueues(t *testing.T) {
	reg := namedthread.NewRegistry()
	th, err := reg.Attach("Game", namedthread.Options{})
	require.NoError(t, err)
	s := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: reg})
	var order []string
	note := func(x string) taskgraph.Task {
		return s.Task(taskgraph.Do(func() { order = append(order, x) }))
	}
	id := th.ID()
	local, high := namedthread.QueueLocal, namedthread.PriorityHigh
	note("local").OnID(id.WithQueue(local), taskgraph.FallbackError).Launch()
	note("local high").OnID(id.WithQueue(local).WithPriority(high),
		taskgraph.FallbackError).Launch()
	note("main").OnID(id, taskgraph.FallbackError).Launch()
	last := note("main too").On(th).Launch()
	note("main high").OnID(id.WithPriority(high), taskgraph.FallbackAnywhere).Launch()
	_, err = th.PumpUntilIdle(namedthread.QueueMain)
	require.NoError(t, err)
	require.Equal(t, []string{"main high", "main", "main too", "local high", "local"}, order)
	require.NoError(t, s.WaitUntilTasksComplete(bg, last))

	// A wait on the thread reaches work in the local queue too.
	e := note("awaited").OnID(id.WithQueue(local), taskgraph.FallbackError).Launch()
	require.NoError(t, s.WaitUntilTasksComplete(bg, e))
	require.NoError(t, s.Shutdown(bg))
	require.NoError(t, th.Detach())
}

// An ID for any thread is a priority on the workers.
func TestOnIDOfAnyThread(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var on string
	for text, want := range map[string]taskgraph.Priority{
		"any/main/normal/normal":  taskgraph.PriorityNormal,
		"any/main/high/normal":    taskgraph.PriorityNormal,
		"any/main/normal/high":    taskgraph.PriorityHigh,
		"any/local/high/highest":  taskgraph.PriorityHigh,
		"any/main/normal/low":     taskgraph.PriorityBackgroundNormal,
		"any/main/high/low":       taskgraph.PriorityBackgroundHigh,
		"253/main/high/low":       taskgraph.PriorityBackgroundHigh, // there is none
		"253/local/normal/normal": taskgraph.PriorityNormal,
	} {
		id, err := namedthread.ParseID(text)
		require.NoError(t, err)
		on = "?"
		task := s.Task(where(&on)).OnID(id, taskgraph.FallbackAnywhere)
		require.False(t, s.Promote(task.Event(), want), text)
		if want > taskgraph.PriorityHigh {
			require.True(t, s.Promote(task.Event(), want-1), text)
		}
		wait(t, s, task.Launch())
		require.Empty(t, on, text)
		if id.Any() { // then none can be missing
			on = "?"
			wait(t, s, s.Task(where(&on)).OnID(id, taskgraph.FallbackError).Launch())
			require.Empty(t, on, text)
		}
	}
}

// Where the thread does not exist the caller's choice holds: an error, or the workers.
func TestOnIDWithoutThread(t *testing.T) {
	reg, _ := threads(t, "Game")
	id := namedthread.MakeID(7, namedthread.QueueMain, namedthread.PriorityNormal,
		namedthread.ThreadNormal)
	for _, reg := range []*namedthread.Registry{nil, reg} {
		s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
		ran := false
		e := s.Task(taskgraph.Do(func() { ran = true })).OnID(id, taskgraph.FallbackError).Launch()
		after := s.Task(taskgraph.Do(func() {})).After(e).Launch()
		err := s.WaitUntilTasksComplete(bg, e)
		require.ErrorIs(t, err, namedthread.ErrNoThread)
		require.EqualError(t, err, "taskgraph: namedthread: no such thread: 7/main/normal/normal")
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, after), graphevent.ErrSkipped)
		require.False(t, ran)
		wait(t, s, s.Task(taskgraph.Do(func() { ran = true })).OnID(id,
			taskgraph.FallbackAnywhere).Launch())
		require.True(t, ran)
	}
}

// The node's next task knows nothing of the last one's request.
func TestOnIDIsForgotten(t *testing.T) {
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	id := namedthread.MakeID(7, namedthread.QueueMain, namedthread.PriorityNormal,
		namedthread.ThreadNormal)
	var on string
	for range 50 {
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg,
			s.Task(where(&on)).OnID(id, taskgraph.FallbackError).Launch()), namedthread.ErrNoThread)
		wait(t, s, s.Task(where(&on)).Name("plain").Launch())
		require.Empty(t, on)
		wait(t, s, s.Task(where(&on)).OnID(id, taskgraph.FallbackError).On(ths[0]).Launch())
		require.Equal(t, "Game", on)
		wait(t, s, s.Task(where(&on)).On(ths[0]).OnID(id, taskgraph.FallbackAnywhere).Launch())
		require.Empty(t, on)
		wait(t, s, s.Task(where(&on)).OnID(ths[0].ID(),
			taskgraph.FallbackAnywhere).OnOwnThread().Launch())
		require.Empty(t, on)
	}
}

// A thread that quits: with FallbackAnywhere each task runs once, on the thread or elsewhere,
// and everything that waits for it goes on, on whatever thread it waits.
func TestOnIDThreadQuits(t *testing.T) {
	for round := 0; round < 50; round += brief(1, 3) {
		reg, ths := threads(t, "Game")
		loader, err := reg.Start("Loader", namedthread.Options{})
		require.NoError(t, err)
		s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
		var there, elsewhere atomics.Int32
		body := taskgraph.Run(func(c *taskgraph.Context) error {
			switch c.Thread() {
			case loader:
				there.Add(1)
			default: // also on the thread that waits for it
				elsewhere.Add(1)
			}
			return nil
		})
		const n = 60
		events := make([]taskgraph.Event, 2*n)
		var chain taskgraph.Event
		for i := range n {
			chain = s.Task(body).After(chain).OnID(loader.ID().WithQueue(namedthread.Queue(i&1)),
				taskgraph.FallbackAnywhere).Launch()
			events[2*i] = chain
			events[2*i+1] = s.Task(body).OnID(loader.ID(), taskgraph.FallbackAnywhere).Launch()
			if i == round {
				loader.Quit()
			}
		}
		onGame := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg, events...)
		})).On(ths[0]).Launch()
		wait(t, s, events...)
		wait(t, s, onGame)
		require.EqualValues(t, 2*n, there.Load()+elsewhere.Load())
		if round < n/2 {
			require.Positive(t, elsewhere.Load())
		}
		<-loader.Done()
	}
}

func TestOnIDMisuse(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	task := s.Task(taskgraph.Do(func() {}))
	require.PanicsWithValue(t, "taskgraph: OnID of ID(0xfe)", func() {
		task.OnID(0xfe, taskgraph.FallbackError)
	})
	require.PanicsWithValue(t, "taskgraph: OnID with no such Fallback", func() { task.OnID(0, 2) })
	wait(t, s, task.Launch())
	require.Panics(t, func() { task.OnID(0, taskgraph.FallbackError) })
}
