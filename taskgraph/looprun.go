package taskgraph

import (
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
)

// parallelFor is ParallelFor for the body of c or, if c is nil, for somebody else. If the loop is
// all of a task's body, and its caller may step out, origin is what the task holds as that body.
func (s *System) parallelFor(c *Context, n, grain int, body func(lo, hi int), origin any) error {
	mustLoop("ParallelFor", n, grain, body == nil)
	at := s.costs.At(codeOf(body))
	switch {
	case loopcost.IsCheap(at.Load(), n):
		return s.shortLoop(c, n, grain, body, nil, at)
	case n == 0:
		return nil
	}
	l := &Loop{N: n, Grain: grain}
	return s.newLoop(c, l, body, origin).lead(c, l, at)
}

// loop is RunLoop for the body of c or, if c is nil, for somebody else. For origin see parallelFor.
func (s *System) loop(c *Context, l *Loop, origin any) error {
	l.validate()
	at := s.costs.At(codeOf(l.Body))
	if l.Site != nil {
		at = s.costOf(l.Site)
	}
	if loopcost.IsCheap(at.Load(), l.N) && !l.Unbalanced {
		return s.shortLoop(c, l.N, l.Grain, nil, l, at)
	}
	return s.newLoop(c, l, nil, origin).lead(c, l, at)
}

// shortLoop runs a loop that is known to be cheap on the caller alone, and measures it if the
// credit is used up. The body is plain, or that of l. Each instruction counts. In deterministic
// mode nothing is known.
func (s *System) shortLoop(c *Context, n, grain int, plain func(lo, hi int), l *Loop,
	at loopcost.Place) (err error) {
	over := false
	defer func() {
		if !over { // or a recover would cost half of all this
			err = thrown(recover())
		}
	}()
	if l != nil && l.PreWork != nil {
		l.PreWork()
	}
	p, begin := &s.lone, int64(0)
	if c != nil {
		p = c.alone()
	}
	if s.isDue(c, loopcost.Price(at.Load(), n)) {
		begin = atomics.Now()
	}
	if grain == 0 {
		grain = n
	}
	for lo := 0; lo < n && err == nil; {
		if c != nil {
			if err = c.stopped(); err != nil {
				break
			}
		}
		hi := lo + min(grain, n-lo)
		if plain != nil {
			plain(lo, hi)
		} else {
			err = l.Body(p, lo, hi)
		}
		lo = hi
	}
	over = true
	switch {
	case err != nil:
		if stopsLoop(err) {
			return nil
		}
		return err
	case begin != 0:
		at.Learn(float64(atomics.Now()-begin) / float64(n))
	}
	return nil
}

// isDue takes the price of a cheap loop from the caller's credit, and reports whether that is used
// up, so that the loop is to be measured.
func (s *System) isDue(c *Context, price int32) bool {
	if c != nil {
		return c.r.credit.IsDue(price)
	}
	return s.credits.IsDue(stackAt(&price), price)
}

// alone returns the body of c as the only participant of a loop.
func (c *Context) alone() *Participant {
	p := &c.lone
	if p.c == nil {
		p.l, p.c = c.r.sys.lone.l, c
	}
	return p
}

// newLoop returns a loop for the caller alone, whose body is plain if that is not nil. For origin
// see parallelFor.
func (s *System) newLoop(c *Context, spec *Loop, plain func(lo, hi int), origin any) *loop {
	l := s.takeLoop(c, spec)
	l.shared = false
	l.plain, l.body, l.origin = plain, spec.Body, origin
	l.n, l.grain = spec.N, spec.Grain
	if spec.Unbalanced && l.grain == 0 {
		l.grain = 1
	}
	l.units = uint64(l.n)
	if l.grain > 0 && l.n > 0 {
		l.units = uint64((l.n-1)/l.grain) + 1
	}
	l.prio = PriorityNormal
	if c != nil {
		l.prio = c.prio
	}
	if l.yields = spec.Background; l.yields {
		l.prio = PriorityBackgroundNormal
	}
	l.limit = 1
	if !spec.Serial && l.units > 1 && spec.Limit != 1 {
		l.limit = s.participants(c, spec)
	}
	if uint64(l.limit) > l.units {
		l.limit = max(int(l.units), 1)
	}
	if len(l.participants) < l.limit {
		n := 1
		if l.limit > 1 {
			n = s.LoopLimit() // or each longer loop that takes this memory again would make more
		}
		l.participants = make([]seat, n)
		for i := range l.participants {
			l.participants[i].l, l.participants[i].index = l, i
		}
	}
	l.participants[0].c = c
	return l
}

// participants returns how many take part at most: workers, and an outside caller with a processor.
func (s *System) participants(c *Context, spec *Loop) int {
	limit := s.kern.Workers()
	if (c == nil || !c.r.onSlot()) && (s.turns != nil || limit < runtime.GOMAXPROCS(0)) {
		limit++
	}
	if spec.Limit > 0 {
		limit = min(limit, spec.Limit)
	}
	return limit
}

// takeLoop returns an unused loop. Common ones, with which helpers may stay (mayStay), lie apart.
func (s *System) takeLoop(c *Context, spec *Loop) *loop {
	home := &s.freeLoops
	if spec.Background || c != nil && (c.prio != PriorityNormal || c.ctx != nil) {
		home = &s.otherLoops
	}
	if l, ok := home.Pop(); ok {
		return l
	}
	l := &loop{sys: s, home: home}
	l.left.Init(s.mode)
	l.left.TakeTurns(s.turns)
	return l
}

func (s *System) costOf(site any) loopcost.Place {
	if l, ok := site.(*LoopSite); ok {
		return l.cost.Place()
	}
	return s.costs.At(codeOfSite(site))
}
