package namedthread

import (
	"errors"
	"fmt"
	"time"

	"github.com/heddle-go/heddle/sleepevent"
)

// Options say how a [Thread] is made. The zero Options are good for most.
type Options struct {
	// Priority is the scheduling priority of the OS thread; default ThreadNormal. Attach
	// accepts no other: a priority cannot be put back everywhere.
	Priority ThreadPriority

	// Affinity lists the processors, from 0, that the OS thread may run on; default: as the
	// program. Attach heeds it only where Detach can put back what was before.
	Affinity []int

	// Park says how the thread sleeps; the default is the fastest wake-up. Programs under
	// testing/synctest choose sleepevent.ParkGo.
	Park sleepevent.Park

	// OnPanic is given the value and the stack of each panic in work that the thread runs,
	// on the thread, which then goes on with the next piece of work. By default there is none:
	// the thread goes on as well, and [Thread.Err] returns the first panic, which may also be
	// one of OnPanic itself.
	OnPanic func(v any, stack []byte)

	// Crash lets a panic go on instead: out of the pump of an attached thread, and through
	// the end of a started one, which ends the program. OnPanic must be nil then.
	Crash bool

	// Poll, if not nil, is called by the pumps of the thread, on the thread, about every
	// PollEvery: between pieces of work, and waking a pump that sleeps. It is for event
	// sources that must be asked, such as a window system. The first pump calls it first of
	// all; between two calls there is at least PollEvery, and a piece of work if there is
	// any. A Wait does not call it, and it is not called again while it runs. A panic is treated
	// as one of work.
	Poll func(t *Thread)

	// PollEvery is the period of Poll, more than 0. It must be 0 if there is no Poll.
	PollEvery time.Duration
}

func (o *Options) validate(attach bool) error {
	switch {
	case o.Priority >= threadPriorities:
		return fmt.Errorf("namedthread: Options.Priority: no such priority: %v", o.Priority)
	case o.Park > sleepevent.ParkGo:
		return fmt.Errorf("namedthread: Options.Park: no such constant: %d", o.Park)
	case attach && o.Priority != ThreadNormal:
		return fmt.Errorf("namedthread: Options.Priority: Attach cannot set it: %w",
			errors.ErrUnsupported)
	case o.Crash && o.OnPanic != nil:
		return errors.New("namedthread: Options.Crash: with OnPanic it means nothing")
	case o.Poll != nil && o.PollEvery <= 0:
		return fmt.Errorf("namedthread: Options.PollEvery: want more than 0 with Poll, have %v",
			o.PollEvery)
	case o.Poll == nil && o.PollEvery != 0:
		return errors.New("namedthread: Options.PollEvery: there is no Poll")
	}
	for _, cpu := range o.Affinity {
		if cpu < 0 {
			return fmt.Errorf("namedthread: Options.Affinity: no such processor: %d", cpu)
		}
	}
	return nil
}
