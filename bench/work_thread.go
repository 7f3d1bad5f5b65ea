package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// A service has requests served one after the other, in order, on one goroutine.
type service struct {
	post  func() error // a request; does not wait for it
	await func()       // until the request was served of which serve said so
	close func() error
}

// A servicePeer is a way to open one. It calls serve for each request, and if that returns true
// somebody awaits this one.
type servicePeer struct {
	runtime string
	open    func(serve func() (awaited bool)) (service, error)
}

var servicePeers = []servicePeer{
	{heddle, threadService(sleepevent.ParkOS)},
	{"heddle-parkgo", threadService(sleepevent.ParkGo)},
	{heddleTasks, taskService},
	{"channel", channelService(true)},
	{"channel-unlocked", channelService(false)},
	{"mutex", mutexService},
}

// threadWorkloads have something done on one certain OS thread; channel-unlocked shows what the
// thread itself costs.
func threadWorkloads(z sizes) []*workload {
	post := &workload{name: "thread-post",
		title: "requests that a goroutine posts to one OS thread, until the last is served",
		unit:  "ns/request", n: z.of(100_000), fixed: 1}
	waiting := &workload{name: "thread-waiting",
		title: "a request that a goroutine posts to one OS thread and waits for",
		unit:  "ns/request", n: z.of(2000), fixed: 1}
	busy := &workload{name: "thread-busy",
		title: "from a post to the end of the request on an OS thread that was idle for 1 ms, " +
			"while the poster computes; n is the number of requests in a turn",
		unit: "ns", n: z.of(200), single: true, fixed: 1}
	for _, p := range servicePeers {
		post.rows = append(post.rows, p.row(post.n, post.n))
		waiting.rows = append(waiting.rows, p.row(waiting.n, 1))
		busy.rows = append(busy.rows, p.busyRow(busy.n))
	}
	return []*workload{post, waiting, busy}
}

// row posts n requests in a pass, and awaits the last of each burst.
func (p servicePeer) row(n, burst int) row {
	return goRow(p.runtime, func(s *session, _ int) (reading, error) {
		served, posted := 0, 0
		to, err := p.open(func() bool { served++; return served%burst == 0 })
		if err != nil {
			return reading{}, err
		}
		_, before, rusageErr := rusage()
		r, err := s.passes(n, func() error {
			for range n / burst {
				for range burst {
					if err := to.post(); err != nil {
						return err
					}
				}
				posted += burst
				to.await()
			}
			return nil
		})
		if err != nil {
			return r, err
		}
		if _, after, err := rusage(); rusageErr == nil && err == nil {
			r.switches = finite(float64(after-before) / float64(posted))
		}
		if err := to.close(); err != nil {
			return r, err
		}
		if served != posted {
			return r, fmt.Errorf("%d requests were served of %d", served, posted)
		}
		return r, nil
	})
}

// busyRow measures single requests, whose poster keeps its processor.
func (p servicePeer) busyRow(n int) row {
	return goRow(p.runtime, func(*session, int) (reading, error) {
		var served atomics.Int64
		to, err := p.open(func() bool { served.Add(1); return false })
		if err != nil {
			return reading{}, err
		}
		var r reading
		_, before, rusageErr := rusage()
		for i := range n {
			compute(time.Millisecond)
			begin := atomics.Now()
			if err := to.post(); err != nil {
				return r, err
			}
			for served.Load() != int64(i+1) {
				atomics.Pause(1)
			}
			r.samples = append(r.samples, float64(atomics.Now()-begin))
		}
		if _, after, err := rusage(); rusageErr == nil && err == nil {
			r.switches = finite(float64(after-before) / float64(n))
		}
		return r, to.close()
	})
}

// A served is a request to a named thread.
type served struct {
	serve func() bool
	done  *sleepevent.Signal
}

// RunOn serves it.
func (s *served) RunOn(*namedthread.Thread, uint64) {
	if s.serve() {
		s.done.Trigger()
	}
}

// startNamed starts a thread that pumps until it is told to quit.
func startNamed(park sleepevent.Park) (*namedthread.Registry, *namedthread.Thread, error) {
	registry := namedthread.NewRegistry()
	th, err := registry.Start("bench", namedthread.Options{Park: park})
	return registry, th, err
}

func endNamed(th *namedthread.Thread) error {
	th.Quit()
	<-th.Done()
	return th.Err()
}

func threadService(park sleepevent.Park) func(serve func() bool) (service, error) {
	return func(serve func() bool) (service, error) {
		_, th, err := startNamed(park)
		if err != nil {
			return service{}, err
		}
		s := &served{serve, sleepevent.NewSignal(sleepevent.Options{Park: park})}
		return service{
			post: func() error {
				return th.Post(namedthread.QueueMain, namedthread.PriorityNormal, s, 0)
			},
			await: s.done.Wait,
			close: func() error { return endNamed(th) },
		}, nil
	}
}

// taskService launches a task on the thread, which has an event.
func taskService(serve func() bool) (service, error) {
	registry, th, err := startNamed(sleepevent.ParkOS)
	if err != nil {
		return service{}, err
	}
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: registry})
	body := taskgraph.Do(func() { serve() })
	var last taskgraph.Event
	return service{
		post:  func() error { last = sys.Task(body).On(th).Launch(); return nil },
		await: func() { _ = sys.WaitUntilTasksComplete(ctx, last) },
		close: func() error {
			if err := sys.Shutdown(ctx); err != nil {
				return err
			}
			return endNamed(th)
		},
	}, nil
}

// locked runs f on a goroutine, on an OS thread of its own if it is to have one, and returns how
// to wait for its end.
func locked(own bool, f func()) *sync.WaitGroup {
	ended := new(sync.WaitGroup)
	ended.Go(func() {
		if own {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		f()
	})
	return ended
}

func channelService(own bool) func(serve func() bool) (service, error) {
	return func(serve func() bool) (service, error) {
		in, done := make(chan struct{}, workerChannel), make(chan struct{}, 1)
		ended := locked(own, func() {
			for range in {
				if serve() {
					done <- struct{}{}
				}
			}
		})
		return service{
			post:  func() error { in <- struct{}{}; return nil },
			await: func() { <-done },
			close: func() error { close(in); ended.Wait(); return nil },
		}, nil
	}
}

// mutexService has a list under a mutex, of which the thread takes all there is.
func mutexService(serve func() bool) (service, error) {
	var (
		mu      sync.Mutex
		some    = sync.NewCond(&mu)
		list    []func() bool
		stopped bool
		done    = make(chan struct{}, 1)
	)
	ended := locked(true, func() {
		var mine []func() bool
		for {
			mu.Lock()
			for len(list) == 0 && !stopped {
				some.Wait()
			}
			mine, list = list, mine[:0]
			mu.Unlock()
			if len(mine) == 0 {
				return
			}
			for _, f := range mine {
				if f() {
					done <- struct{}{}
				}
			}
		}
	})
	return service{
		post: func() error {
			mu.Lock()
			list = append(list, serve)
			mu.Unlock()
			some.Signal()
			return nil
		},
		await: func() { <-done },
		close: func() error {
			mu.Lock()
			stopped = true
			mu.Unlock()
			some.Signal()
			ended.Wait()
			return nil
		},
	}, nil
}
