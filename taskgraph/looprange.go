package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/flight"

// help is the body of a helper. Each helper launches the next, so that wake-ups form a chain.
func (p *Participant) help(c *Context) error {
	l := p.l
	if !l.crew.Join() { // LO4
		p.late()
		return nil
	}
	c.reported = true
	if l.sys.checks.Load()&checkLabelled != 0 {
		c.labelHelper(l)
	}
	joined, again, made := true, false, 0
	defer func() {
		if !joined {
			return
		}
		p.c = nil
		switch {
		case made > 0:
			l.queueUnder(p, c, made)
		case again:
			l.queue(p, c)
		}
		if l.crew.Leave() { // LO8
			l.done.Trigger()
			l.left.Unpark()
		}
		p.late()
	}()
	for loops := 0; joined; loops++ {
		p.c = c
		l.launch(c)
		if again, made = p.share(); made > 0 {
			break
		}
		if loops == maxInPlace || !p.mayStay(c) {
			break
		}
		p.c = nil
		round := l.crew.Number()
		if !l.crew.Stay() {
			break
		}
		joined = l.stay(c, round)
	}
	return nil
}

// late drops the reference of a helper that has left the loop, comes too late, or does not run.
func (p *Participant) late() {
	if l := p.l; l.crew.Drop() {
		l.free()
	}
}

// share takes ranges until there are none left. It reports whether it gave up earlier, for a
// moment, and how many tasks the last range has made ready, if that is why.
func (p *Participant) share() (again bool, made int) {
	over := false
	defer p.caught(&over)
	until := int64(0)
	if p.l.yields && p.c.r.onSlot() {
		until = p.l.sys.now() + backgroundTurn
	}
	steps := p.mayStepOut()
	for {
		from, to, ok := p.l.take()
		if !ok {
			break
		}
		p.spread()
		_, made, ok = p.runSome(from, to, steps)
		if made = p.worthLeaving(made); made > 0 || !ok {
			break
		}
		if until != 0 && p.l.sys.now() > until && p.l.crew.Left(p.l.units) {
			again = true
			break
		}
	}
	over = true
	return again, made
}

// spread is between two ranges of a loop that is shared.
func (p *Participant) spread() {
	if p.c != nil && p.c.r.onSlot() {
		p.l.sys.kern.Spread(p.c.r.Slot())
	}
}

func (p *Participant) caught(over *bool) {
	if *over {
		return
	}
	p.l.fail(thrown(recover()))
}

// run calls the body for the units of a range, and reports whether the loop continues.
func (p *Participant) run(from, to uint64) bool {
	_, _, ok := p.runSome(from, to, false)
	return ok
}

// runSome is run, but if p may step out it ends after the first call of the body that makes tasks
// ready. It returns where it ended and how many there are.
func (p *Participant) runSome(from, to uint64, steps bool) (at uint64, made int, ok bool) {
	l, before := p.l, 0
	if steps {
		before = p.queued()
	}
	for ok = true; ok && from < to && made <= 0; {
		if l.grain == 0 {
			ok = p.call(int(from), int(to))
			from = to
		} else {
			lo := int(from) * l.grain
			ok = p.call(lo, lo+min(l.grain, l.n-lo))
			from++
		}
		if steps {
			made = p.queued() - before
		}
	}
	return from, made, ok
}

func (p *Participant) call(lo, hi int) bool {
	l := p.l
	if p.c != nil {
		if err := p.c.stopped(); err != nil {
			l.fail(err)
			return false
		}
	}
	var lane *flight.Lane
	if p.c != nil && p.c.r.lane != nil {
		lane = p.c.r.lane
		lane.Put2(flight.Range, p.c.key(), uint64(l.rangeName()), uint64(lo))
	}
	var err error
	if l.plain != nil {
		l.plain(lo, hi)
	} else {
		err = l.body(p, lo, hi)
	}
	if lane != nil {
		lane.Put2(flight.RangeEnd, p.c.key(), 0, uint64(hi-lo))
	}
	if err != nil {
		l.fail(err)
	}
	return err == nil
}
