//go:build modelcheck

package sleepevent_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// An act is what a submitter does, once.
type act string

const (
	one     act = "one"     // publish a piece, Wake
	two     act = "two"     // publish two pieces, Wake once: ramp-up does the rest
	twoEach act = "twoEach" // publish two pieces, Wake after each
	oneN    act = "oneN"    // publish a piece, WakeN
	twoN    act = "twoN"    // publish two pieces, WakeN
	three   act = "three"   // publish three pieces, WakeN
	all     act = "all"     // publish a piece, WakeAll
	mail    act = "mail"    // publish a piece for worker 0 alone, WakeWorker
	mail1   act = "mail1"   // publish a piece for worker 1 alone, WakeWorker
	nudge   act = "nudge"   // WakeWorker for worker 0 without reason
	keep    act = "keep"    // KeepAwake for all
	beat    act = "beat"    // KeepAwake for all at a moment for which a worker may begin to sleep
	parent  act = "parent"  // publish a piece that publishes another one and waits until it has run
)

// pieces returns how many pieces for anybody, and for one worker alone, come of an act.
func (a act) pieces() (shared, own int) {
	switch a {
	case one, oneN, all:
		return 1, 0
	case two, twoEach, twoN, parent:
		return 2, 0
	case three:
		return 3, 0
	case mail, mail1:
		return 0, 1
	}
	return 0, 0
}

// A scene is a pool in small, with its submitters and its stop, as a program for the model
// checker.
type scene struct {
	workers    int
	submitters [][]act
	options    sleepevent.Options
	apart      int           // distance between the workers' numbers; 0: 1
	timed      int           // how many rests of each worker have a time limit
	limit      time.Duration // what limit these have
	takes      bool          // the rescan takes work, rather than only looks
	meet       bool          // shared pieces end together: each needs a worker to itself
	early      bool          // the stop comes at any moment; else when all pieces have run
	same       bool          // the stop is the first submitter, in one thread
	timers     modelcheck.Timers
}

func (s scene) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d workers", s.workers)
	for _, acts := range s.submitters {
		b.WriteString(",")
		for _, a := range acts {
			b.WriteString(" " + string(a))
		}
	}
	for _, part := range []struct {
		on   bool
		text string
	}{
		{s.apart > 1, fmt.Sprintf("numbers %d apart", s.apart)},
		{s.options.MaxDrowsers > 0,
			fmt.Sprintf("%d drowse for %v", s.options.MaxDrowsers, s.options.DrowseBudget)},
		{s.has(keep) || s.has(beat),
			fmt.Sprintf("timers %s", [...]string{"never", "on time", "early"}[s.timers])},
		{s.timed > 0, fmt.Sprintf("%d timed rests of %v, timers %s", s.timed, s.limit,
			[...]string{"never", "on time", "early"}[s.timers])},
		{s.takes, "the rescan takes"},
		{s.meet, "pieces meet"},
		{s.early, "stopped at any moment"},
		{s.same, "by a submitter"},
	} {
		if part.on {
			b.WriteString(", " + part.text)
		}
	}
	return b.String()
}

// has reports whether a submitter has an act.
func (s scene) has(a act) bool {
	return slices.ContainsFunc(s.submitters, func(acts []act) bool {
		return slices.Contains(acts, a)
	})
}

// pieces returns how many pieces for anybody, and in all, the submitters publish.
func (s scene) pieces() (shared, total int) {
	for _, acts := range s.submitters {
		for _, a := range acts {
			n, own := a.pieces()
			shared, total = shared+n, total+n+own
		}
	}
	return shared, total
}

// play is one execution of a scene.
type play struct {
	scene
	m       *modelcheck.Model
	g       *sleepevent.Group
	shared  int // pieces for anybody
	total   int
	letters bool // there are pieces for one worker alone
	parents bool

	queue   atomics.Int32 // pieces for anybody that nobody has taken
	elders  atomics.Int32 // those of them that are parents are here instead
	letter  [4]atomics.Int32
	ran     atomics.Int32
	started atomics.Int32

	met   [4]sleepevent.Signal // those who wait for the others of a meeting
	child sleepevent.Signal    // a piece has run that may be a child
	done  sleepevent.Signal    // all have run

	late  [4]int // pieces of each submitter that it published when the group may have been closed
	rests [4]int // rests of each worker that were published
	woke  [4]int // workers that each submitter woke
	over  [4]int // most that a WakeN of each submitter woke beyond what it was asked for
}

// program is the scene as a program.
func (s scene) program(m *modelcheck.Model) {
	p := &play{scene: s, m: m, letters: s.has(mail) || s.has(mail1), parents: s.has(parent)}
	p.g = sleepevent.NewGroup((s.workers-1)*s.distance()+1, s.options)
	p.shared, p.total = s.pieces()
	for i := range s.workers {
		p.g.BeginSearch()
		m.Thread(func() { p.work(i) })
	}
	stop := func() {
		if !s.early {
			p.done.Wait()
		}
		p.g.Close()
	}
	for i := range s.submitters {
		m.Thread(func() {
			p.submit(i)
			if s.same && i == 0 {
				stop()
			}
		})
	}
	if !s.same {
		m.Thread(stop)
	}
	m.After(func() { p.judge(m) })
}

// randomScene draws a scene.
func randomScene(r *rand.Rand) scene {
	maybe := func(in int) bool { return r.IntN(in) == 0 }
	for {
		s := scene{workers: 1 + r.IntN(3), options: awake, takes: maybe(4), meet: maybe(2),
			early: maybe(3), same: maybe(3)}
		acts := []act{one, one, two, twoEach, oneN, twoN, three, all, mail, mail1, nudge, keep,
			parent}
		submitters := 1 + r.IntN(3)
		for range submitters {
			var mine []act
			for range 1 + r.IntN(2)/submitters {
				mine = append(mine, acts[r.IntN(len(acts))])
			}
			s.submitters = append(s.submitters, mine)
		}
		if maybe(2) {
			s.options = sleepevent.Options{MaxDrowsers: 1 + r.IntN(2),
				DrowseBudget: time.Duration(1 + r.IntN(3))}
		}
		if maybe(3) {
			s.timed, s.limit, s.timers = 1+r.IntN(2), time.Duration(1+r.IntN(9)),
				modelcheck.Timers(r.IntN(3))
		}
		if maybe(6) {
			s.apart = sleepevent.PerWord // a word for each worker
		}
		if s.comesToItsEnd() {
			return s
		}
	}
}

// comesToItsEnd reports whether the workers can do what is asked of them.
func (s scene) comesToItsEnd() bool {
	shared, total := s.pieces()
	parents := 0
	for _, acts := range s.submitters {
		for _, a := range acts {
			if a == parent {
				parents++
			}
		}
	}
	switch {
	case s.meet && (s.early || parents > 0 || shared < 2 || shared > s.workers),
		parents > 1, parents > 0 && (s.early || s.workers < 2), // waits for another worker
		s.has(mail1) && s.workers < 2,
		total == 0 && !s.early:
		return false
	}
	return total <= 5
}

func (s scene) distance() int { return max(s.apart, 1) }

// A piece is a piece of work.
type piece uint8

const (
	none piece = iota
	plain
	elder
	own
)

// work is a worker. It keeps the contract of Group.
func (p *play) work(i int) {
	for rests := 0; ; rests++ {
		// before the look: what was published before is still taken
		closed := p.early && p.g.Closed()
		have := p.take(i)
		if have == none && !p.early {
			closed = p.g.Closed()
		}
		if have == none && !closed {
			have = p.rest(i, rests)
			if have == none {
				continue
			}
		}
		p.g.EndSearch()
		if p.more(i) {
			p.g.Wake() // ramp-up
		}
		if have == none {
			return
		}
		p.run(have)
		p.g.BeginSearch()
	}
}

// rest is one call of Idle; it returns what the rescan took.
func (p *play) rest(i, rests int) (have piece) {
	rescan := func() bool {
		p.rests[i]++
		if p.takes {
			have = p.take(i)
			return have != none
		}
		return p.more(i)
	}
	if rests < p.timed {
		began := atomics.Now()
		if !p.g.IdleTimeout(i*p.distance(), rescan, p.limit) {
			slept := time.Duration(atomics.Now() - began)
			p.m.Assert(slept >= p.limit, "the limit of %v ends a rest after %v", p.limit, slept)
		}
	} else {
		p.g.Idle(i*p.distance(), rescan)
	}
	return have
}

func (p *play) take(i int) piece {
	if p.letters && p.letter[i].Load() > 0 {
		p.letter[i].Add(-1)
		return own
	}
	if p.parents && decrement(&p.elders) {
		return elder
	}
	if decrement(&p.queue) {
		return plain
	}
	return none
}

// decrement takes one from n, unless it is 0.
func decrement(n *atomics.Int32) bool {
	for v := n.Load(); v > 0; v = n.Load() {
		if n.CompareAndSwap(v, v-1) {
			return true
		}
	}
	return false
}

func (p *play) more(i int) bool {
	return p.letters && p.letter[i].Load() > 0 || p.parents && p.elders.Load() > 0 ||
		p.queue.Load() > 0
}

func (p *play) run(k piece) {
	switch {
	case k == elder:
		p.queue.Add(1)
		p.g.Wake()
		p.child.Wait()
	case k == plain && p.parents:
		p.child.Trigger()
	case k == plain && p.meet:
		if n := int(p.started.Add(1)); n < p.shared {
			p.met[n-1].Wait()
		} else {
			for j := range n - 1 {
				p.met[j].Trigger()
			}
		}
	}
	if !p.early && int(p.ran.Add(1)) == p.total {
		p.done.Trigger()
	}
}

// submit is a submitter.
func (p *play) submit(i int) {
	for _, a := range p.submitters[i] {
		switch a {
		case one, two, oneN, twoN, three, all:
			n, _ := a.pieces()
			p.publish(i, &p.queue, n)
			switch a {
			case one, two:
				p.woken(i, p.g.Wake())
			case all:
				p.woke[i] += p.g.WakeAll()
			default:
				woken := p.g.WakeN(n)
				p.woke[i] += woken
				p.over[i] = max(p.over[i], woken-n)
			}
		case twoEach:
			for range 2 {
				p.publish(i, &p.queue, 1)
				p.woken(i, p.g.Wake())
			}
		case parent:
			p.publish(i, &p.elders, 1)
			p.woken(i, p.g.Wake())
		case mail:
			p.publish(i, &p.letter[0], 1)
			p.woken(i, p.g.WakeWorker(0))
		case mail1:
			p.publish(i, &p.letter[1], 1)
			p.woken(i, p.g.WakeWorker(p.distance()))
		case nudge:
			p.woken(i, p.g.WakeWorker(0))
		case keep:
			p.g.KeepAwake(4, 2, 2)
		case beat:
			p.g.KeepAwake(4, 30, 2)
		}
	}
}

func (p *play) publish(i int, where *atomics.Int32, n int) {
	where.Add(int32(n))
	if p.early && p.g.Closed() {
		p.late[i] += n
	}
}

func (p *play) woken(i int, r sleepevent.WakeResult) {
	if r.Woke() {
		p.woke[i]++
	}
}

// judge looks at what is left.
func (p *play) judge(m *modelcheck.Model) {
	left := int(p.queue.Load() + p.elders.Load())
	late, rests, woke := 0, 0, 0
	for i := range p.late {
		m.Assert(p.over[i] == 0, "a WakeN woke %d more than it was asked for", p.over[i])
		left += int(p.letter[i].Load())
		late, rests, woke = late+p.late[i], rests+p.rests[i], woke+p.woke[i]
	}
	m.Assert(left <= late,
		"%d pieces are left, and only %d came when the group may have been closed", left, late)
	m.Assert(p.g.Searching() == 0, "I2: %d counts are left", p.g.Searching())
	m.Assert(p.g.IdleCount() == 0, "I1: %d workers are idle", p.g.IdleCount())
	m.Assert(p.g.Drowsers() == 0, "%d workers drowse", p.g.Drowsers())
	for i := range p.g.Workers() {
		m.Assert(p.g.State(i) == sleepevent.StateRunning, "worker %d is %v", i, p.g.State(i))
		m.Assert(!p.g.TakePermit(i), "I4: a permit of worker %d is left", i)
	}
	s := p.g.Stats()
	withdrew := int(s.Withdrawals)
	m.Assert(woke <= rests-withdrew, "I1: %d wakes woke somebody, but of %d rests %d ended without",
		woke, rests, withdrew)
	m.Assert(s.KernelWakes <= s.Parks, "%d kernel wakes for %d sleeps", s.KernelWakes, s.Parks)
	m.Assert(s.Timeouts <= s.Withdrawals && s.Swallowed <= s.DrowseWakes,
		"the counts do not fit: %+v", s)
}
