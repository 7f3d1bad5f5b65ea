//go:build modelcheck

package kernel_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/counts"
	"github.com/heddle-go/heddle/taskgraph/internal/door"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/joins"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A verb is what a task or somebody outside does in one act.
type verb string

const (
	push  verb = "push"  // task: queue a task in its own slot, and wake somebody for it
	keep  verb = "keep"  // task, at its end: queue a task and wake nobody if it is the only one
	popIf verb = "popIf" // task: take a task off its own deque, and run it in place, or leave it
	sink  verb = "sink"  // task: move the newest of its own deque below so many
	look  verb = "look"  // task: take a shared task only to look at it
	fork  verb = "fork"  // task: fork a call
	join  verb = "join"  // task: wait for a call that it forked
	leap  verb = "leap"  // task: run what that call forks, if it is found in a few looks
	wait  verb = "wait"  // task: wait for an event
	block verb = "block" // task: wait for an event, and keep the slot
	// task: leave the slot to do something that the kernel does not see, and get one again
	detach verb = "detach"
	doze   verb = "doze"   // task: rest for a time, and leave the slot if somebody wants it
	expect verb = "expect" // outside: have the idle ones awake for a time
	hide   verb = "hide"   // task: hide what its slot will hold
	tuck   verb = "tuck"   // task: queue a task there
	reveal verb = "reveal" // task: what was hidden is within reach again
	expose verb = "expose" // outside: the same for all slots, as the watch does
	pushes verb = "pushes" // task: queue this task and the next at once
	inject verb = "inject" // queue a task from outside
	end    verb = "end"    // make an event happen
	nudge  verb = "nudge"  // make it happen, and end the wait for it twice
	alarm  verb = "alarm"  // end a wait for no reason
	near0  verb = "near0"  // outside: queue a task that worker 0 should run
	near1  verb = "near1"  // outside: queue a task that worker 1 should run
	quota  verb = "quota"  // outside: let so many workers run
	spare  verb = "spare"  // outside: add a slot
	leave  verb = "leave"  // outside: ask the holders of such slots to leave them
	call   verb = "call"   // first outside: call a worker and wait until it has come
	// first outside: call a worker, withdraw that, and wait until it has come if it is too late
	recall verb = "recall"
	visit  verb = "visit" // outside: run this task on a slot that is lent, and leave
	// outside: the same, and run what is there, oneself's and others', before leaving
	stay  verb = "stay"
	stop  verb = "stop"  // outside: stop at this moment, then let all events happen
	sweep verb = "sweep" // outside, after it: have somebody take what is queued
	rouse verb = "rouse" // outside: have nobody doze from now on
)

// An act is a verb and the number of a task or an event.
type act struct {
	verb
	n int
}

// A job is a task or a forked call.
type job struct {
	level kernel.Level
	acts  []act
}

// A world is the kernel with its runners and those who bring work, as a program for the model
// checker. The runners do what those of package taskgraph do.
type world struct {
	workers, foreground int
	jobs                []job
	outside             [][]act
	// launches from outside pass a door; when it is closed and all is over comes the stop
	door bool
	// the stop when all is done has a thread of its own; else it is the first from outside
	apart bool
	// when the time of a doze comes
	timers modelcheck.Timers
}

func (w world) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d workers", w.workers)
	if w.foreground > 0 {
		fmt.Fprintf(&b, " (%d foreground)", w.foreground)
	}
	write := func(acts []act) {
		for _, a := range acts {
			fmt.Fprintf(&b, " %s%d", a.verb, a.n)
		}
	}
	for i, j := range w.jobs {
		fmt.Fprintf(&b, ", task %d level %d", i, j.level)
		write(j.acts)
	}
	for _, acts := range w.outside {
		b.WriteString(", outside")
		write(acts)
	}
	if w.door {
		b.WriteString(", through a door")
	}
	if w.apart {
		b.WriteString(", stopped by another")
	}
	if w.timers != modelcheck.TimersNever {
		fmt.Fprintf(&b, ", timers %d", w.timers)
	}
	return b.String()
}

// has reports whether somebody outside does v.
func (w world) has(v verb) bool {
	for _, acts := range w.outside {
		for _, a := range acts {
			if a.verb == v {
				return true
			}
		}
	}
	return false
}

// blocks reports whether a task keeps its slot while it waits for event i, or somebody outside
// waits.
func (w world) blocks(i int) bool {
	for _, acts := range w.outside {
		if slices.Contains(acts, act{block, i}) {
			return true
		}
	}
	for _, j := range w.jobs {
		if slices.Contains(j.acts, act{block, i}) {
			return true
		}
	}
	return false
}

// happenings returns how many events there are.
func (w world) happenings() (n int) {
	for _, j := range w.jobs {
		for _, a := range j.acts {
			if a.verb == wait {
				n = max(n, a.n+1)
			}
		}
	}
	return n
}

const most = 8 // jobs, events, runners

// A happening is an event that one runner waits for.
type happening struct {
	came   atomics.Bool
	waiter atomics.Pointer[kernel.Runner]
	block  sleepevent.Signal
}

// A count is what the holders of a slot have not reported.
type count struct{ launched, finished int64 }

// A play is one execution of a world.
type play struct {
	world
	m *modelcheck.Model
	k *kernel.Kernel

	ran      [most]int // by one thread at a time, as the kernel promises
	joins    [most]joins.Join
	notes    [most]kernel.Note[job]
	forker   [most]*kernel.Runner
	freed    [most]int
	events   [most]happening
	held     [most]*kernel.Runner // who holds each slot
	counts   [most]count
	tally    counts.Tally
	done     sleepevent.Signal
	gate     door.Door
	quiet    *park.Parker
	over     bool
	launched [most]bool
	calls    [most]castCall
	ended    atomics.Int32 // runners that ended with a slot
}

// program is the world as a program.
func (w world) program(m *modelcheck.Model) {
	p := &play{world: w, m: m, quiet: park.New(park.OS)}
	p.gate.Init(p.quiet)
	p.k = kernel.New(kernel.Config{
		Workers: w.workers, Foreground: w.foreground, Sleep: sleepevent.Options{MaxDrowsers: -1},
		OnIdle:  p.report,
		OnQuiet: p.gate.Tell,
		Watch:   func() {},
		Spawn:   func(s *kernel.Slot) { atomics.Go(func() { p.serve(s) }) },
		Own:     func(*kernel.Slot) any { return nil },
	})
	p.tally.Begin(len(w.jobs))
	for _, s := range p.k.Slots() {
		m.Thread(func() { p.serve(s) })
	}
	early, swept := w.has(stop), w.has(sweep)
	finish := func() {
		switch {
		case early:
			return
		case w.door:
			p.gate.Close()
			for !p.k.Over(&p.gate) {
				p.quiet.Park()
			}
			p.over = true
		default:
			p.done.Wait()
		}
		p.k.Stop()
	}
	for i, acts := range w.outside {
		m.Thread(func() {
			p.perform(nil, acts)
			if i == 0 && !w.apart {
				finish()
			}
		})
	}
	if w.apart {
		m.Thread(finish)
	}
	m.After(func() {
		for i := range p.jobs {
			m.Assert(p.ran[i] <= 1, "task %d has run twice", i)
			if p.launched[i] && (!early || swept) || !early && !p.door {
				m.Assert(p.ran[i] == 1, "task %d has not run", i)
			}
			m.Assert(p.freed[i] <= 1, "the place of call %d was freed twice", i)
		}
		active, _ := p.k.Activity()
		m.Assert(active == int(p.ended.Load()), "%d slots count as active, and %d are held", active,
			p.ended.Load())
		m.Assert(p.k.Lent() == 0, "%d slots are lent, and all callers have left", p.k.Lent())
	})
}

// report is what a slot does before it is idle.
func (p *play) report(s *kernel.Slot) {
	c := &p.counts[s.Index()]
	if c.finished != 0 && !p.door && p.tally.Report(c.finished) {
		p.done.Trigger()
	}
	if p.door && c.finished != c.launched {
		p.gate.Report(c.finished - c.launched)
	}
	*c = count{}
}

// hold notes that r holds its slot.
func (p *play) hold(r *kernel.Runner) {
	s := r.Slot()
	p.m.Assert(s != nil, "a runner goes on without a slot")
	p.m.Assert(p.held[s.Index()] == nil, "two runners hold slot %d", s.Index())
	p.held[s.Index()] = r
}

// let notes that r may lose its slot.
func (p *play) let(r *kernel.Runner) { p.held[r.Slot().Index()] = nil }

// serve is a runner.
func (p *play) serve(s *kernel.Slot) {
	r := p.k.NewRunner(s, park.OS)
	p.hold(r)
	for {
		n, got := p.k.Next(r.Slot())
		if got == kernel.GotNone {
			n, got = p.k.Search(r.Slot())
		}
		switch got {
		case kernel.GotTask:
			p.take(r, n)
		case kernel.GotResume:
			p.let(r)
			if !r.Yield() {
				return
			}
			p.hold(r)
		case kernel.GotRetire:
			p.let(r)
			if !r.Retire() {
				return
			}
			p.hold(r)
		case kernel.GotCall:
			p.answer(r)
		case kernel.GotStop:
			p.report(r.Slot())
			p.ended.Add(1)
			return
		default:
		}
	}
}

// take runs what an entry names.
func (p *play) take(r *kernel.Runner, n entry.Entry) {
	if n.Kind() != entry.Fork {
		p.run(r, int(n))
		p.counts[r.Slot().Index()].finished++
		return
	}
	i := int(n.Index())
	run, free := p.joins[i].Take()
	if !run {
		if free {
			p.free(i)
		}
		return
	}
	p.notes[i].Begin(&p.jobs[i], r.Slot())
	p.run(r, i)
	p.counts[r.Slot().Index()].finished++
	waiter := p.forker[i]
	if p.notes[i].End(&p.joins[i]) {
		waiter.End()
	}
}

func (p *play) run(r *kernel.Runner, i int) {
	p.m.Assert(!p.over, "task %d runs after all is over", i)
	p.m.Assert(p.freed[i] == 0, "call %d runs on a place that is free", i)
	p.ran[i]++
	p.perform(r, p.jobs[i].acts)
	p.m.Assert(!p.over, "task %d ends after all is over", i)
}

func (p *play) free(i int) {
	p.freed[i]++
	p.joins[i].Reset()
}

// perform does acts; r is nil outside.
func (p *play) perform(r *kernel.Runner, acts []act) {
	for _, a := range acts {
		switch a.verb {
		case call, recall:
			p.call(a)
		case push, keep:
			l := p.jobs[a.n].level
			p.launched[a.n] = true
			p.counts[r.Slot().Index()].launched++
			if a.verb == push && l == kernel.Normal {
				p.k.Spawn(r.Slot(), entry.Entry(a.n))
				continue
			}
			p.k.Push(r.Slot(), entry.Entry(a.n), l)
			if a.verb == push || l != kernel.Normal || !p.k.Alone(r.Slot()) {
				p.k.Wake(l)
			}
		case popIf:
			if p.k.PopIf(r.Slot(), entry.Entry(a.n)) {
				p.run(r, a.n)
				p.counts[r.Slot().Index()].finished++
			}
		case sink:
			p.k.Sink(r.Slot(), a.n)
		case look:
			if n, ok := p.k.TakeShared(); ok {
				p.k.PutBack(r.Slot(), n)
			}
		case fork:
			p.forker[a.n] = r
			p.counts[r.Slot().Index()].launched++
			p.k.PushFork(r.Slot(), p.jobs[a.n].level, uint32(a.n))
		case join:
			p.join(r, a.n)
		case leap:
			p.leap(r, a.n)
		case wait:
			e := &p.events[a.n]
			e.waiter.Store(r)
			for {
				r.Arm()
				if e.came.Load() {
					break
				}
				p.await(r)
			}
		case detach:
			p.detach(r)
		case doze:
			p.report(r.Slot())
			if !p.k.Doze(r.Slot(), 100) {
				p.detach(r)
			}
		case expect:
			p.k.KeepAwake(50, 50, 0)
		case pushes:
			p.launched[a.n], p.launched[a.n+1] = true, true
			p.counts[r.Slot().Index()].launched += 2
			p.k.PushAll(r.Slot(), []entry.Entry{entry.Entry(a.n), entry.Entry(a.n + 1)})
		case hide:
			p.k.Hide(r.Slot())
		case tuck:
			p.launched[a.n] = true
			p.counts[r.Slot().Index()].launched++
			if a.n%2 == 1 {
				p.k.Spawn(r.Slot(), entry.Entry(a.n))
			} else {
				p.k.PushAll(r.Slot(), []entry.Entry{entry.Entry(a.n)})
			}
		case reveal:
			p.k.Reveal(r.Slot())
		case expose:
			for _, s := range p.k.Slots() {
				p.k.Reveal(s)
			}
		case block:
			p.events[a.n].block.Wait()
		case inject:
			if p.door && !p.gate.Enter(uint32(a.n)) {
				continue
			}
			p.launched[a.n] = true
			p.k.Inject(entry.Entry(a.n), p.jobs[a.n].level)
		case visit, stay:
			p.visit(a.n, a.verb == stay)
		case near0, near1:
			p.launched[a.n] = true
			p.k.PushNear(int(a.verb[4]-'0'), entry.Entry(a.n))
		case quota:
			p.k.SetWorkers(a.n, p.foreground)
		case end, nudge:
			p.happen(a.n)
			if a.verb == nudge {
				p.alarm(a.n)
			}
		case alarm:
			p.alarm(a.n)
		case spare:
			p.k.AddSpare()
		case leave:
			p.k.Dismiss()
		case stop:
			p.k.Stop()
			for i := range p.happenings() {
				p.happen(i)
			}
		case rouse:
			p.k.Rouse()
		case sweep:
			p.k.Sweep()
		}
	}
}

// visit runs task n as a caller, if there is room for one.
func (p *play) visit(n int, stays bool) {
	if p.door && !p.gate.Enter(uint32(n)) {
		return
	}
	p.launched[n] = true
	r := p.k.NewCaller(park.OS)
	if !r.Join() {
		p.k.Inject(entry.Entry(n), p.jobs[n].level)
		return
	}
	p.hold(r)
	p.take(r, entry.Entry(n))
	for stays {
		n, ok := p.k.PopOwn(r.Slot())
		if !ok {
			if n, ok = p.k.Steal(r.Slot()); !ok {
				break
			}
		}
		p.take(r, n)
	}
	p.report(r.Slot())
	p.let(r)
	r.Part()
}

func (p *play) happen(i int) {
	if p.blocks(i) {
		p.events[i].block.Trigger()
		return
	}
	p.events[i].came.Store(true)
	p.alarm(i)
}

func (p *play) alarm(i int) {
	if w := p.events[i].waiter.Load(); w != nil {
		w.End()
	}
}

// detach leaves r's slot to others, and gets one again.
func (p *play) detach(r *kernel.Runner) {
	p.report(r.Slot())
	p.let(r)
	r.Detach()
	r.Attach()
	p.hold(r)
}

// await gives r's slot away. What is counted is reported before.
func (p *play) await(r *kernel.Runner) {
	p.report(r.Slot())
	p.let(r)
	r.Await()
	p.hold(r)
}

// join waits for a call.
func (p *play) join(r *kernel.Runner, i int) {
	j := &p.joins[i]
	if p.k.PopFork(r.Slot(), p.jobs[i].level, uint32(i)) {
		p.run(r, i)
		p.counts[r.Slot().Index()].finished++
		p.free(i)
		return
	}
	if j.TakeEarly() {
		p.run(r, i)
		p.counts[r.Slot().Index()].finished++
		if j.Leave() {
			p.free(i)
		}
		return
	}
	r.Arm()
	if !j.Await() {
		for !j.IsDone() {
			p.await(r)
			r.Arm()
		}
	}
	p.m.Assert(p.ran[i] == 1, "a wait for call %d is over, and it has not run", i)
	p.free(i)
}

// leap looks a few times for what call i forks, and runs that.
func (p *play) leap(r *kernel.Runner, i int) {
	for range 3 {
		n, ok, over := p.notes[i].Leap(p.k, r.Slot(), func(n uint32, in *job) bool {
			return slices.Contains(in.acts, act{fork, int(n)})
		})
		if over {
			return
		}
		if ok {
			p.take(r, entry.Of(entry.Fork, n))
			continue
		}
		atomics.Pause(1)
	}
}
