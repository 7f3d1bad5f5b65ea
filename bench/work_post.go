package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A poster sends functions to one OS thread.
type poster struct {
	post  func(f func()) error
	close func() error
}

// postWorkloads send functions to a goroutine that is locked to an OS thread.
func postWorkloads(z sizes) []*workload {
	w := &workload{name: "thread-post", title: "functions sent to one OS thread by a goroutine, until the last has run", unit: "ns/function", n: z.of(100_000), fixed: 1}
	for _, p := range []struct {
		runtime string
		open    func() (poster, error)
	}{{heddle, heddlePoster}, {heddleTasks, heddleTasksPoster}, {"channel", channelPoster}, {"mutex", mutexPoster}} {
		w.rows = append(w.rows, goRow(p.runtime, func(s *session, _ int) (reading, error) {
			to, err := p.open()
			if err != nil {
				return reading{}, err
			}
			ran, done := 0, make(chan struct{})
			f := func() {
				if ran++; ran%w.n == 0 {
					done <- struct{}{}
				}
			}
			passes := 0
			r, err := s.passes(w.n, func() error {
				passes++
				for range w.n {
					if err := to.post(f); err != nil {
						return err
					}
				}
				<-done
				return nil
			})
			if err != nil {
				return r, err
			}
			if err := to.close(); err != nil {
				return r, err
			}
			if ran != passes*w.n {
				return r, fmt.Errorf("%d functions ran of %d", ran, passes*w.n)
			}
			return r, nil
		}))
	}
	return []*workload{w}
}

// startNamed starts a thread that pumps until it is told to quit.
func startNamed() (*namedthread.Registry, *namedthread.Thread, error) {
	registry := namedthread.NewRegistry()
	th, err := registry.Start("bench", namedthread.Options{})
	return registry, th, err
}

func endNamed(th *namedthread.Thread) error {
	th.Quit()
	<-th.Done()
	return th.Err()
}

func heddlePoster() (poster, error) {
	_, th, err := startNamed()
	return poster{
		post: func(f func()) error {
			return th.Post(namedthread.QueueMain, namedthread.PriorityNormal, namedthread.Func(f), 0)
		},
		close: func() error { return endNamed(th) },
	}, err
}

// heddleTasksPoster launches a task on the thread, which has an event.
func heddleTasksPoster() (poster, error) {
	registry, th, err := startNamed()
	if err != nil {
		return poster{}, err
	}
	sys := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: registry})
	return poster{
		post: func(f func()) error {
			sys.Task(taskgraph.Do(f)).On(th).Launch()
			return nil
		},
		close: func() error {
			if err := sys.Shutdown(context.Background()); err != nil {
				return err
			}
			return endNamed(th)
		},
	}, nil
}

// lockedThread runs f on an OS thread of its own, and returns how to wait for its end.
func lockedThread(f func()) *sync.WaitGroup {
	ended := new(sync.WaitGroup)
	ended.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		f()
	})
	return ended
}

func channelPoster() (poster, error) {
	in := make(chan func(), workerChannel)
	ended := lockedThread(func() {
		for f := range in {
			f()
		}
	})
	return poster{
		post:  func(f func()) error { in <- f; return nil },
		close: func() error { close(in); ended.Wait(); return nil },
	}, nil
}

// mutexPoster has a list under a mutex, of which the thread takes all there is.
func mutexPoster() (poster, error) {
	var (
		mu      sync.Mutex
		some    = sync.NewCond(&mu)
		list    []func()
		stopped bool
	)
	ended := lockedThread(func() {
		var mine []func()
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
				f()
			}
		}
	})
	return poster{
		post: func(f func()) error {
			mu.Lock()
			list = append(list, f)
			mu.Unlock()
			some.Signal()
			return nil
		},
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
