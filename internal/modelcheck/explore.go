package modelcheck

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// A Result says what an exploration came to.
type Result struct {
	Explorer   string
	Executions int  // that came to their end
	Distinct   int  // of those, the ones not in the set before
	Pruned     int  // abandoned, because they would have repeated others
	Complete   bool // nothing was left to explore
	Reached    bool // the thread of Config.FreezeThread was suspended in one of them
	Failure    *Failure
}

// patience is how long an execution may take before it is taken to be blocked where the
// engine cannot see it.
var patience = 20 * time.Second

// Explore runs body again and again, until the explorer has nothing left, limit executions
// are done (0: no limit), or one fails. Body sets up its words, calls Thread for each thread
// and then Run; what it does before and after happens without steps. It must do the same
// each time. Explorations of one process run one at a time.
func (e *Engine) Explore(x Explorer, limit int, seen *Set, body func()) Result {
	exclusive.Lock()
	defer exclusive.Unlock()
	defer e.watch()()
	res := Result{Explorer: x.Name()}
	for {
		e.execute(x, body)
		res.Reached = res.Reached || e.reached
		if e.pruned {
			res.Pruned++
		} else {
			res.Executions++
			if seen == nil || seen.Add(e.schedule) {
				res.Distinct++
			}
		}
		if e.failure != nil && e.cfg.tolerate != nil && e.cfg.tolerate(e.failure) {
			e.failure = nil
		}
		more := e.failure == nil && x.end(e) // which may find a failure, too
		if e.failure != nil {
			res.Failure = e.failure
			res.Failure.Execution = res.Executions
			e.explain(res.Failure, body)
			return res
		}
		if !more {
			res.Complete = true
			return res
		}
		if limit > 0 && res.Executions+res.Pruned >= limit {
			return res
		}
	}
}

// execute runs one execution.
func (e *Engine) execute(x Explorer, body func()) {
	e.beat.Add(1)
	e.reset(x)
	x.begin(e)
	returned := false
	defer func() {
		if returned {
			return
		}
		if p := recover(); p != nil {
			e.fail(KindPanic, fmt.Sprintf("the body of the model panicked: %v\n%s", p, debug.Stack()))
		}
		e.settle(true)
	}()
	body()
	returned = true
	e.settle(false)
}

// settle ends threads that the body has not run to their end.
func (e *Engine) settle(abort bool) {
	if e.running {
		return
	}
	if abort {
		e.aborting = true
	}
	e.Run()
}

func (e *Engine) reset(x Explorer) {
	e.x = x
	if e.epoch++; e.epoch == 0 {
		e.epoch = 1
	}
	e.n, e.words = 0, 0
	e.live, e.ready, e.spin, e.frozen, e.woken, e.robbed = 0, 0, 0, 0, 0, 0
	e.paused, e.rounds, e.waits = false, 0, 0
	e.steps, e.preemptions = 0, 0
	e.schedule = e.schedule[:0]
	e.starting, e.starter = nil, nil
	e.aborting, e.pruned, e.reached, e.running = false, false, false, false
	e.failure = nil
}

// explain runs the failed execution once more and writes down what happens.
func (e *Engine) explain(f *Failure, body func()) {
	f.Schedule = formatSchedule(e.schedule)
	again, err := NewReplay(f.Schedule)
	if err != nil {
		f.Trace = err.Error()
		return
	}
	e.tracing, e.rows = true, nil
	defer func() { e.tracing, e.rows = false, nil }()
	e.execute(again, body)
	f.Trace = e.render()
	if e.failure == nil || e.failure.Kind != f.Kind {
		f.Trace += "\nthis time it did not fail in the same way: the program does not depend on the schedule alone\n"
	}
}

// watch ends the process if an execution stands still: a thread blocks on something that the
// engine cannot see, and nothing can take it out of there.
func (e *Engine) watch() (stop func()) {
	var (
		mu      sync.Mutex
		timer   *time.Timer
		stopped bool
		arm     func(last uint32)
	)
	arm = func(last uint32) {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		timer = time.AfterFunc(patience, func() {
			if now := e.beat.Load(); now != last {
				arm(now)
				return
			}
			mu.Lock()
			if stopped {
				mu.Unlock()
				return
			}
			buf := make([]byte, 1<<20)
			panic(fmt.Sprintf("modelcheck: a thread of the model has not come back for %v; it blocks, or loops, without a step:\n%s",
				patience, buf[:runtime.Stack(buf, true)]))
		})
	}
	arm(e.beat.Load())
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}
