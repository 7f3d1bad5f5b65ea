package trace

import "time"

// A laneBuilder makes the events of a lane.
type laneBuilder struct {
	Lane
	stack []frame // what has begun and not ended

	launched, completed ID // what was recorded last, if nothing has begun since
}

// A frame is a body, a wait, a range or a sleep that goes on.
type frame struct {
	kind Kind
	id   ID
}

func (l *laneBuilder) add(at time.Duration, k Kind, id, other ID, arg uint64) {
	l.Events = append(l.Events, Event{At: at, Kind: k, Task: id, Other: other, Arg: arg})
}

func (l *laneBuilder) begin(at time.Duration, k Kind, id, other ID, arg uint64) {
	l.launched, l.completed = 0, 0
	l.stack = append(l.stack, frame{k, id})
	l.add(at, k, id, other, arg)
}

// innermost returns what began last, if that is of a kind.
func (l *laneBuilder) innermost(k Kind) (id ID, ok bool) {
	if n := len(l.stack); n > 0 && l.stack[n-1].kind == k {
		return l.stack[n-1].id, true
	}
	return 0, false
}

// wake adds that the lane, which is awake at a moment, was woken so long before; not if that was
// before it began to sleep, as then something else has ended its sleep.
func (l *laneBuilder) wake(at, before time.Duration) {
	n := len(l.Events)
	if before == 0 || n == 0 || l.Events[n-1].Kind != Park || at-before < l.Events[n-1].At {
		return
	}
	l.add(at-before, Wake, 0, 0, 0)
}

// end ends what began as the kind before k, of id, and what is on top of it: a panic has cut that
// off, or its end was not recorded. It does nothing if the beginning is lost.
func (l *laneBuilder) end(at time.Duration, k Kind, id ID, arg uint64) {
	at0 := len(l.stack) - 1
	for ; at0 >= 0 && l.stack[at0] != (frame{k - 1, id}); at0-- {
	}
	if at0 < 0 {
		return
	}
	for i := len(l.stack) - 1; i > at0; i-- {
		l.add(at, l.stack[i].kind+1, l.stack[i].id, 0, 0)
	}
	l.stack = l.stack[:at0]
	l.add(at, k, id, 0, arg)
}
