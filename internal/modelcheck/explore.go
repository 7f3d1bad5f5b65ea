package modelcheck

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// A Result is the outcome of an exploration.
type Result struct {
	Explorer   string
	Executions int  // that came to their end
	Distinct   int  // of those, the ones not in the set before
	Pruned     int  // abandoned, because they would have repeated others
	Complete   bool // nothing was left to explore
	Reached    bool // the thread of Config.FreezeThread was suspended in one of them
	Threads    int  // the most that one of them had
	Steps      int  // of the longest
	Failure    *Failure
}

// patience is how long an execution may take before the engine assumes that it is blocked on
// something that the engine cannot see.
var patience = 20 * time.Second

// One execution in checkEvery also checks which goroutines make the steps, which takes several
// times as long as the steps: the first of an engine, and later ones, where pruned executions
// count, since an explorer may prune many before its first full one. Executions with a suspended
// thread do not check: their program has run without that before.
const checkEvery = 1000

// Explore runs body again and again, until the explorer has nothing left, limit executions
// are done (0: no limit), or one fails. Body sets up its words, calls Thread for each thread
// and then Run; what it does before and after happens without steps. It must do the same
// each time. Explorations of one process run one at a time.
func (e *Engine) Explore(x Explorer, limit int, seen *Set, body func()) Result {
	exclusive.Lock()
	defer exclusive.Unlock()
	res := Result{Explorer: x.Name()}
	if missing != "" {
		res.Failure = &Failure{Kind: KindUnseen, Text: "this process can check nothing more: " +
			missing}
		return res
	}
	defer e.watch()()
	for {
		e.checking = e.cfg.FreezeStep == 0 && e.runs%checkEvery == 0
		e.runs++
		e.execute(x, body)
		if e.stuck != "" {
			missing = e.stuck
			res.Failure = &Failure{Kind: KindUnseen, Text: e.stuck,
				Schedule: formatSchedule(e.schedule), Preemptions: e.preemptions,
				Execution: res.Executions + 1}
			return res
		}
		res.Reached = res.Reached || e.reached
		res.Threads, res.Steps = max(res.Threads, e.n), max(res.Steps, e.steps)
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
			e.fail(KindPanic, fmt.Sprintf("the body of the model panicked: %v\n%s", p,
				debug.Stack()))
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
	if epochs++; epochs == 0 {
		epochs = 1
	}
	e.epoch = epochs // unique among all executions in the process
	e.n, e.words, e.spawns = 0, 0, meta{}
	e.live, e.ready, e.spin, e.frozen, e.woken, e.robbed = 0, 0, 0, 0, 0, 0
	e.paused, e.rounds, e.waits = false, 0, 0
	e.steps, e.preemptions = 0, 0
	e.schedule = e.schedule[:0]
	e.starting, e.starter = nil, nil
	e.settingUp, e.joined, e.servants = false, 0, 0
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
	e.tracing, e.checking, e.rows = true, true, nil
	defer func() { e.tracing, e.rows = false, nil }()
	e.execute(again, body)
	f.threads, f.lines = e.n, e.tell()
	f.Trace = f.story()
	if e.failure == nil || e.failure.Kind != f.Kind {
		f.Trace += "\nthis time it did not fail in the same way: the program does not depend on the " +
			"schedule alone\n"
	}
}

// ticks is how often in its patience the watch looks.
const ticks = 16

// watch gives an execution up if it makes no progress: a thread blocks on something that the engine
// cannot see, or loops, and cannot be stopped. The root then continues without it. If the body of
// the model itself does not return, the process ends.
func (e *Engine) watch() (stop func()) {
	var (
		mu      sync.Mutex
		timer   *time.Timer
		last    = e.beat.Load()
		still   int
		stopped bool
	)
	timer = time.AfterFunc(patience/ticks, func() {
		mu.Lock()
		defer mu.Unlock()
		if stopped {
			return
		}
		if now := e.beat.Load(); now != last {
			last, still = now, 0
		} else if still++; still == ticks {
			e.giveUp()
			return
		}
		timer.Reset(patience / ticks)
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

// giveUp abandons the thread that has the token, and lets the root continue.
//
//go:norace
func (e *Engine) giveUp() {
	t := active
	if t == nil {
		panic(fmt.Sprintf("modelcheck: the body of a model has not come back for %v\n%s", patience,
			stacks()))
	}
	e.stuck = fmt.Sprintf("thread %s has not come back for %v; it blocks, or loops, without a "+
		"step:\n%s", name(t.id), patience, stuckStack())
	if e.failure != nil {
		e.stuck = e.failure.Text + "\n" + e.stuck
	}
	e.hand(nil)
}

// stacks returns the stacks of all goroutines.
func stacks() string {
	buf := make([]byte, 1<<20)
	return string(buf[:runtime.Stack(buf, true)])
}

// stuckStack returns the stack of the thread that has the token: it is in its body, and by M1 the
// only one there that does not wait for its turn. If there is none it returns all stacks.
func stuckStack() string {
	all := stacks()
	for stack := range strings.SplitSeq(all, "\n\n") {
		if strings.Contains(stack, ".(*thread).body(") &&
			!strings.Contains(stack, ".(*thread).await(") {
			return stack
		}
	}
	return all
}
