package namedthread

import (
	"errors"
	"fmt"

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
	// on the thread, which then goes on with the next piece of work. By default there is
	// none and the panic goes on: out of the pump of an attached thread, and through the
	// end of a started one, which ends the program.
	OnPanic func(v any, stack []byte)
}

func (o *Options) validate(attach bool) error {
	switch {
	case o.Priority >= threadPriorities:
		return fmt.Errorf("namedthread: Options.Priority: no such priority: %v", o.Priority)
	case attach && o.Priority != ThreadNormal:
		return fmt.Errorf("namedthread: Options.Priority: Attach cannot set it: %w", errors.ErrUnsupported)
	}
	for _, cpu := range o.Affinity {
		if cpu < 0 {
			return fmt.Errorf("namedthread: Options.Affinity: no such processor: %d", cpu)
		}
	}
	return nil
}
