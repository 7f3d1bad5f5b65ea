package main

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// How the thread tables measure.
const (
	postBurst = 256              // requests before the one that is waited for
	restedFor = time.Millisecond // a thread had nothing to do before a request
)

// A counter takes requests and serves them one after the other, in order, on one goroutine.
type counter struct {
	send  func() // a request; it does not wait for it
	await func() // until the last request that says so was served; sleeping
	close func()
}

// A service is a way to have something done by one certain goroutine. What it opens calls serve
// there, once a request; if that returns true somebody awaits this request.
type service struct {
	name string
	open func(serve func() (awaited bool)) (counter, error)
}

// A served is work for a named thread.
type served struct {
	serve func() bool
	done  *sleepevent.Signal
}

// RunOn serves a request.
func (s *served) RunOn(*namedthread.Thread, uint64) {
	if s.serve() {
		s.done.Trigger()
	}
}

func threadService(name string, p sleepevent.Park) service {
	return service{name, func(serve func() bool) (counter, error) {
		th, err := namedthread.NewRegistry().Start("Bench", namedthread.Options{Park: p})
		if err != nil {
			return counter{}, err
		}
		s := &served{serve, sleepevent.NewSignal(sleepevent.Options{Park: p})}
		return counter{
			send:  func() { _ = th.Post(namedthread.QueueMain, namedthread.PriorityNormal, s, 0) },
			await: s.done.Wait,
			close: func() { th.Quit(); <-th.Done() },
		}, nil
	}}
}

func graphService() service {
	return service{"taskgraph.Task.On", func(serve func() bool) (counter, error) {
		reg := namedthread.NewRegistry()
		th, err := reg.Start("Bench", namedthread.Options{})
		if err != nil {
			return counter{}, err
		}
		ctx := context.Background()
		sys := taskgraph.Start(taskgraph.Options{Threads: reg})
		body := taskgraph.Do(func() { serve() })
		var last taskgraph.Event
		return counter{
			send:  func() { last = sys.Task(body).On(th).Launch() },
			await: func() { _ = sys.WaitUntilTasksComplete(ctx, last) },
			close: func() { _ = sys.Shutdown(ctx); th.Quit(); <-th.Done() },
		}, nil
	}}
}

func channelService(name string, locked bool) service {
	return service{name, func(serve func() bool) (counter, error) {
		requests, done := make(chan struct{}, postBurst), make(chan struct{}, 1)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if locked {
				runtime.LockOSThread() // the thread ends with the goroutine
			}
			for range requests {
				if serve() {
					done <- struct{}{}
				}
			}
		}()
		return counter{
			send:  func() { requests <- struct{}{} },
			await: func() { <-done },
			close: func() { close(requests); <-ended },
		}, nil
	}}
}

var lockedChannel = channelService("channel, locked goroutine", true)

func services() []service {
	return []service{
		lockedChannel, threadService("namedthread", sleepevent.ParkOS), threadService("namedthread, ParkGo", sleepevent.ParkGo),
		graphService(), channelService("channel, goroutine", false),
	}
}

// threadTables compare ways to have something done on one certain thread, and beside them what it
// costs if the thread does not matter.
func threadTables() []*table {
	waiting := &table{
		name:      "thread/waiting",
		title:     "post to a thread, run there, complete; the poster sleeps until then",
		reference: lockedChannel.name,
		metrics:   []metric{{"time", "ns/op"}, {"switches", "1/op"}},
	}
	burst := &table{
		name:      "thread/burst",
		title:     "the same in bursts: 256 posts, then the poster sleeps until the last one is done",
		reference: lockedChannel.name,
		metrics:   waiting.metrics,
	}
	busy := &table{
		name:      "thread/busy",
		title:     "post to a thread that had nothing to do for 1 ms, run there, complete; the poster goes on; and what the post costs the poster",
		reference: lockedChannel.name,
		metrics:   []metric{{"p50", "ns"}, {"p90", "ns"}, {"poster p50", "ns"}, {"switches", "1/op"}},
	}
	for _, s := range services() {
		waiting.rows = append(waiting.rows, s.posted(1))
		burst.rows = append(burst.rows, s.posted(postBurst))
		busy.rows = append(busy.rows, sampledGo(s.name, restedFor, s.busy))
	}
	return []*table{waiting, burst, busy}
}

var errMiscounted = errors.New("not every request was served once")

// posted is the row of a service that is sent bursts of requests, and awaited at the end of each.
func (s service) posted(burst int) row {
	return row{name: s.name, prepare: func(ses *session) (turn, error) {
		var switches float64
		do := func(bursts int) (time.Duration, error) {
			count := 0
			c, err := s.open(func() bool { count++; return count%burst == 0 })
			if err != nil {
				return 0, err
			}
			defer c.close()
			once := func() {
				for range burst {
					c.send()
				}
				c.await()
			}
			once()
			_, before, err := rusage()
			if err != nil {
				return 0, err
			}
			start := atomics.Now()
			for range bursts {
				once()
			}
			took := atomics.Now() - start
			_, after, err := rusage()
			if err == nil && count != (bursts+1)*burst {
				err = errMiscounted
			}
			switches = float64(after-before) / float64(bursts*burst)
			return time.Duration(took), err
		}
		n, err := calibrate(ses.length, do)
		if err != nil {
			return nil, err
		}
		return func() ([]float64, error) {
			took, err := do(n)
			return []float64{float64(took) / float64(n*burst), switches}, err
		}, nil
	}}
}

// busy measures n single requests, whose poster keeps its processor.
func (s service) busy(n int) ([]float64, error) {
	var served atomics.Int64
	c, err := s.open(func() bool { served.Add(1); return false })
	if err != nil {
		return nil, err
	}
	defer c.close()
	_, before, err := rusage()
	if err != nil {
		return nil, err
	}
	var took, cost []int64
	for i := range n {
		compute(restedFor)
		start := atomics.Now()
		c.send()
		cost = append(cost, atomics.Now()-start)
		for served.Load() != int64(i+1) {
			atomics.Pause(1)
		}
		took = append(took, atomics.Now()-start)
	}
	_, after, err := rusage()
	return []float64{quantile(took, 0.5), quantile(took, 0.9), quantile(cost, 0.5), float64(after-before) / float64(n)}, err
}
