package flight

import (
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A clock turns ticks into time.
type clock struct {
	counter bool // the processor's counter is used, else atomics.Now
	steps   bool // in virtual time a tick is a step

	began      time.Time
	ticks, now int64 // of began
	step       atomics.Int64
}

func (c *clock) start() {
	c.counter = atomics.TicksAreSteady()
	c.began = time.Now()
	c.ticks, c.now = c.both()
}

// tick reads the cheapest monotonic clock.
func (c *clock) tick() int64 {
	if c.counter {
		return atomics.Ticks() - c.ticks
	}
	return c.slowTick()
}

func (c *clock) slowTick() int64 {
	if c.steps {
		return c.step.Add(1)
	}
	return atomics.Now() - c.ticks
}

// both reads both clocks at nearly the same time.
func (c *clock) both() (ticks, now int64) {
	if !c.counter {
		now = atomics.Now()
		return now, now
	}
	best := int64(1 << 62)
	for range 5 {
		a := atomics.Now()
		t := atomics.Ticks()
		if b := atomics.Now(); b-a < best {
			best, ticks, now = b-a, t, a+(b-a)/2
		}
	}
	return ticks, now
}

// scale returns how many nanoseconds a tick is, going by all the time since the clock was made.
func (c *clock) scale() float64 {
	if !c.counter {
		return 1
	}
	return c.perTick(c.both())
}

// perTick is scale by what both clocks say now. It is 1 while the counter has not moved.
func (c *clock) perTick(ticks, now int64) float64 {
	if ticks <= c.ticks {
		return 1
	}
	return float64(now-c.now) / float64(ticks-c.ticks)
}
