package taskgraph

import (
	"errors"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
)

// Of a short loop each instruction counts. One that is known to be cheap, and asks for nothing out of the ordinary, is
// one call of its body. Other cheap ones, and those that are measured, run in shortLoop. In deterministic mode nothing
// is known.

// parallelFor is ParallelFor for the body of c or, if c is nil, for somebody else. It returns the address of the
// error: the results of a function that recovers stand in memory, and BenchmarkShortLoops can tell two words from one.
func (s *System) parallelFor(c *Context, n, grain int, body func(lo, hi int)) (failed *error) {
	if grain != 0 || body == nil {
		return s.longFor(c, n, grain, body)
	}
	cost := s.costs.At(codeOf(body)).Load()
	if !loopcost.IsCheap(cost, n) {
		return s.longFor(c, n, 0, body)
	}
	if c == nil {
		if left := s.credits.At(stackAt(&failed)); left.Add(-loopcost.Price(cost, n)) < 0 {
			return s.measuredFor(left, n, body)
		}
	} else {
		if c.ctx != nil || c.r.credit < 0 || s.abandoned.Load() {
			return s.longFor(c, n, 0, body)
		}
		c.r.credit -= loopcost.Price(cost, n)
	}
	failed = &unfinished
	defer func() {
		if failed == &unfinished { // or a recover would cost half of all this
			failed = recovered(recover())
		}
	}()
	body(0, n)
	return nil
}

// unfinished is at the address that a call of a body returns as long as it goes on.
var unfinished error

// measuredFor is parallelFor for a caller from outside whose credit is used up.
func (s *System) measuredFor(left *atomics.Int32, n int, body func(lo, hi int)) *error {
	left.Store(loopcost.FreshCredit())
	return s.shortLoop(nil, &Loop{N: n}, body, s.costs.At(codeOf(body)), true)
}

// longFor is parallelFor for all cases.
func (s *System) longFor(c *Context, n, grain int, body func(lo, hi int)) *error {
	mustLoop(n, grain, body)
	if n == 0 {
		return nil
	}
	return s.anyLoop(c, &Loop{N: n, Grain: grain}, body, s.costs.At(codeOf(body)))
}

// mustLoop panics at what is no loop.
func mustLoop(n, grain int, body func(lo, hi int)) {
	switch {
	case n < 0:
		panic("taskgraph: ParallelFor over a negative number of elements")
	case grain < 0:
		panic("taskgraph: ParallelFor with a negative grain")
	case body == nil:
		panic("taskgraph: ParallelFor without a body")
	}
}

// loop is RunLoop for the body of c or, if c is nil, for somebody else. It returns the address of the error.
func (s *System) loop(c *Context, l *Loop) (failed *error) {
	if l.Grain != 0 || l.Limit < 0 || l.Unbalanced || l.PreWork != nil || l.Body == nil {
		return s.longLoop(c, l)
	}
	at := s.costs.At(codeOf(l.Body))
	if l.Site != nil {
		if !isSite(l.Site) {
			return s.longLoop(c, l)
		}
		at = s.costOf(l.Site)
	}
	cost := at.Load()
	if !loopcost.IsCheap(cost, l.N) {
		return s.longLoop(c, l)
	}
	p := &s.lone
	if c == nil {
		if left := s.credits.At(stackAt(&failed)); left.Add(-loopcost.Price(cost, l.N)) < 0 {
			return s.measuredLoop(left, l, at)
		}
	} else {
		if p = c.alone(); c.ctx != nil || c.r.credit < 0 || s.abandoned.Load() {
			return s.longLoop(c, l)
		}
		c.r.credit -= loopcost.Price(cost, l.N)
	}
	failed = &unfinished
	defer func() {
		if failed == &unfinished {
			failed = recovered(recover())
		}
	}()
	if err := l.Body(p, 0, l.N); err != nil {
		return failedWith(err)
	}
	return nil
}

// measuredLoop is loop for a caller from outside whose credit is used up.
func (s *System) measuredLoop(left *atomics.Int32, l *Loop, at loopcost.Place) *error {
	left.Store(loopcost.FreshCredit())
	return s.shortLoop(nil, l, nil, at, true)
}

// failedWith returns the address of what a loop returns that ended with err, or nil.
func failedWith(err error) *error {
	if err == nil || stopsLoop(err) {
		return nil
	}
	kept := err // or each err would be allocated
	return &kept
}

// stopsLoop reports whether err is [ErrStopLoop], and not a panic with that.
func stopsLoop(err error) bool {
	if !errors.Is(err, ErrStopLoop) {
		return false
	}
	var panicked *graphevent.PanicError
	return !errors.As(err, &panicked)
}

// longLoop is loop for all cases.
func (s *System) longLoop(c *Context, l *Loop) *error {
	l.validate()
	at := s.costs.At(codeOf(l.Body))
	if l.Site != nil {
		at = s.costOf(l.Site)
	}
	return s.anyLoop(c, l, nil, at)
}

// anyLoop runs a loop, whose body is plain if that is not nil, and whose cost is kept at a place.
func (s *System) anyLoop(c *Context, l *Loop, plain func(lo, hi int), at loopcost.Place) *error {
	if loopcost.IsCheap(at.Load(), l.N) && !l.Unbalanced {
		return s.shortLoop(c, l, plain, at, false)
	}
	return failedWith(s.runLoop(c, l, plain, at, nil))
}

// shortLoop runs a cheap loop on the caller alone. It measures it if that is due or, if it has not been asked yet, the
// credit is used up.
func (s *System) shortLoop(c *Context, l *Loop, plain func(lo, hi int), at loopcost.Place, due bool) (failed *error) {
	failed = &unfinished
	defer func() {
		if failed == &unfinished {
			failed = recovered(recover())
		}
	}()
	if l.PreWork != nil {
		l.PreWork()
	}
	p, grain, begin := &s.lone, l.Grain, int64(0)
	price := loopcost.Price(at.Load(), l.N)
	if c != nil {
		p = c.alone()
		if c.r.credit -= price; c.r.credit < 0 {
			c.r.credit = loopcost.FreshCredit()
			due = true
		}
	} else if !due {
		if left := s.credits.At(stackAt(&failed)); left.Add(-price) < 0 {
			left.Store(loopcost.FreshCredit())
			due = true
		}
	}
	if due {
		begin = atomics.Now()
	}
	if grain == 0 {
		grain = l.N
	}
	for lo := 0; lo < l.N; {
		if c != nil {
			if err := c.stopped(); err != nil {
				return failedWith(err)
			}
		}
		hi := lo + min(grain, l.N-lo)
		if plain != nil {
			plain(lo, hi)
		} else if err := l.Body(p, lo, hi); err != nil {
			return failedWith(err)
		}
		lo = hi
	}
	if begin != 0 {
		at.Learn(float64(atomics.Now()-begin) / float64(l.N))
	}
	return nil
}

// alone returns the body of c as the only participant of a loop.
func (c *Context) alone() *Participant {
	p := &c.lone
	if p.c == nil {
		p.l, p.c = c.r.sys.lone.l, c
	}
	return p
}

// recovered turns what recover returned into a failure.
func recovered(v any) *error {
	err := thrown(v)
	return &err
}

// result returns the error at an address.
func result(failed *error) error {
	if failed != nil {
		return *failed
	}
	return nil
}
