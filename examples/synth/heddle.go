package main

import (
	"context"
	"errors"
	"time"

	"github.com/heddle-go/heddle/examples/synth/internal/orchestra"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// heddle runs the plans as graphs, which are built once: that of the block at the normal priority,
// that of the tail in the background, where workers take it only while there is nothing else. Live,
// blocks are played by a named thread, which stands for the one that a sound system would call;
// otherwise by a task.
type heddle struct {
	sys    *taskgraph.System
	audio  *namedthread.Thread // or nil
	on     context.Context     // of whoever plays: of the task, if it is one
	blocks *taskgraph.Graph
	tails  *taskgraph.Graph
	tail   taskgraph.Event // of the last run of tails
}

func newHeddle(o *orchestra.Orchestra, workers int, live bool) (_ engine, err error) {
	h := &heddle{on: context.Background()}
	if live {
		var threads namedthread.Registry
		if h.audio, err = threads.Start("Audio",
			namedthread.Options{Priority: namedthread.ThreadHighest}); err != nil {
			return nil, err
		}
	}
	h.sys = taskgraph.Start(taskgraph.Options{Workers: workers})
	if h.blocks, err = graphOf(o.Block(), taskgraph.PriorityNormal); err == nil {
		h.tails, err = graphOf(o.Tail(), taskgraph.PriorityBackgroundNormal)
	}
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// graphOf makes a graph of a plan.
func graphOf(plan orchestra.Plan, prio taskgraph.Priority) (*taskgraph.Graph, error) {
	var b taskgraph.GraphBuilder
	tasks := make([]taskgraph.GraphTask, len(plan))
	for i := range plan {
		tasks[i] = b.Task(taskgraph.Do(plan[i].Run)).Name(plan[i].Name).Priority(prio)
		for _, before := range plan[i].After {
			tasks[i].After(tasks[before])
		}
	}
	return b.Build()
}

func (h *heddle) play(f func() error) error {
	if h.audio == nil {
		play := h.sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			h.on = c
			return f()
		}))
		return h.sys.WaitUntilTasksComplete(context.Background(), play.Name("play").Launch())
	}
	played := make(chan error, 1)
	if err := h.audio.Post(namedthread.QueueMain, namedthread.PriorityNormal,
		namedthread.Func(func() {
			err := errors.New("the audio thread has left the playing") // by a panic, which it keeps
			defer func() { played <- err }()
			err = f()
		}), 0); err != nil {
		return err
	}
	return <-played
}

func (h *heddle) await(beat time.Time) error { return h.sys.SleepUntil(h.on, beat) }

// block takes part: the thread that asks for a block computes it too.
func (h *heddle) block() error { return h.sys.RunGraph(h.on, h.blocks) }

func (h *heddle) between(tail bool) {
	if tail {
		h.tail = h.sys.LaunchGraph(h.tails)
	}
}

func (h *heddle) settle() (ready bool, err error) {
	ready = h.tail.IsComplete()
	if c, ok := h.on.(*taskgraph.Context); ok {
		return ready, c.Wait(h.tail)
	}
	return ready, h.sys.WaitUntilTasksComplete(h.on, h.tail)
}

func (h *heddle) close() error {
	err := h.sys.Shutdown(context.Background())
	if h.audio == nil {
		return err
	}
	h.audio.Quit()
	<-h.audio.Done()
	return errors.Join(err, h.audio.Err())
}
