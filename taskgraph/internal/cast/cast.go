package cast

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
)

// A Cast is a call that is under way in several places. Fill in the first fields, then call Begin.
// README.md has the protocol.
type Cast struct {
	Meet   bool                // nobody calls before all have come
	Over   func()              // called by the last one when each part has ended
	Thrown func(any) error     // the failure of a call for which recover returned that
	Parker func() *park.Parker // makes one

	parts []*Part
	gate  atomics.Uint64 // parts that have not come, and failed
	left  atomics.Int64  // parts that have not ended, and whoever began
	errs  lockfree.Stack[error]
}

// failed in Cast.gate says that there is no meeting.
const failed = 1 << 63

// A Part is the part of one place, whose holder takes it once, unless the part is withdrawn. Fill
// in the first fields.
type Part struct {
	Name   string // in reports
	Call   func() // called by the holder
	Recall func() // makes the holder forget the part

	Enter, Leave func() // if not nil, called by the holder before and after the rest

	c     *Cast
	state atomics.Uint32
	rest  *park.Parker
}

const (
	called uint32 = iota
	came
	withdrawn
	ended // after the holder came
)

// Begin makes the parts those of c. Then the holders may be told. Whoever calls it calls Leave when
// all were told: until then c is not over.
func (c *Cast) Begin(parts []*Part) {
	c.parts = parts
	c.gate.Store(uint64(len(parts)))
	c.left.Store(int64(len(parts)) + 1)
	for _, p := range parts {
		p.c, p.rest = c, c.Parker()
	}
}

// IsWithdrawn reports whether p was withdrawn. Whoever has told the holder asks this afterwards,
// and then recalls the part: whoever withdrew it may not have found it there.
func (p *Part) IsWithdrawn() bool { return p.state.Load() == withdrawn }

// Quit is called instead of Come by a holder that will take no part any more.
func (p *Part) Quit() {
	if p.state.CompareAndSwap(called, came) {
		p.c.arrive()
		p.end()
	}
}

// Come is called by the holder (CA1). It does nothing if the part was withdrawn, and passes a
// Goexit of the call on.
func (p *Part) Come() {
	if !p.state.CompareAndSwap(called, came) { // LP(Come)
		return
	}
	c := p.c
	if p.Enter != nil {
		p.Enter()
		defer p.Leave()
	}
	late := c.arrive()
	if late {
		p.state.Store(withdrawn)
	}
	if c.Meet && (late || !p.await()) {
		p.end()
		return
	}
	clean := false
	defer func() {
		if !clean {
			c.errs.Push(c.Thrown(recover())) // a Goexit ends the holder, and the body on it
		}
		p.end()
	}()
	p.Call()
	clean = true
}

// arrive counts a part that has come: CA2. The last one releases all. A part is late if the meeting
// has been called off.
func (c *Cast) arrive() (late bool) {
	v := c.gate.Add(^uint64(0)) // LP(meeting)
	if v == 0 && c.Meet {
		c.unpark()
	}
	return c.Meet && v&failed != 0
}

// await waits until all have come, and reports false if the meeting was called off.
func (p *Part) await() bool {
	for {
		switch v := p.c.gate.Load(); {
		case v&failed != 0:
			return false
		case v == 0:
			return true
		}
		p.rest.Park()
	}
}

func (c *Cast) unpark() {
	for _, p := range c.parts {
		p.rest.Unpark()
	}
}

// end counts a part that is over: CA3.
func (p *Part) end() {
	p.state.CompareAndSwap(came, ended)
	p.c.Leave()
}

// Leave counts one who is over, a part or whoever began. The last one ends c.
func (c *Cast) Leave() {
	if c.left.Add(-1) == 0 {
		c.Over()
	}
}

// Withdraw takes back the calls that nobody has answered: CA4. Anybody may call it, any number of
// times.
func (c *Cast) Withdraw() {
	for {
		// One step decides whether the meeting takes place.
		v := c.gate.Load()
		if v == 0 || v&failed != 0 || c.gate.CompareAndSwap(v, v|failed) {
			break
		}
	}
	c.unpark()
	for _, p := range c.parts {
		if !p.state.CompareAndSwap(called, withdrawn) { // LP(Withdraw)
			continue
		}
		p.Recall()
		p.end()
	}
}

// IsOver reports whether each part has ended.
func (c *Cast) IsOver() bool { return c.left.Load() == 0 }

// IsCalledOff reports whether there is no meeting.
func (c *Cast) IsCalledOff() bool { return c.Meet && c.gate.Load()&failed != 0 }

// Missing names those who were withdrawn.
func (c *Cast) Missing() (names []string) { return c.in(withdrawn, withdrawn) }

// Running names those who have come and are not over.
func (c *Cast) Running() (names []string) { return c.in(came, came) }

// Awaited names those who have not come, or are not over.
func (c *Cast) Awaited() (names []string) { return c.in(called, came) }

func (c *Cast) in(first, last uint32) (names []string) {
	for _, p := range c.parts {
		if st := p.state.Load(); first <= st && st <= last {
			names = append(names, p.Name)
		}
	}
	return names
}

// Failures takes out what calls have failed with.
func (c *Cast) Failures(yield func(error) bool) { c.errs.Drain()(yield) }
