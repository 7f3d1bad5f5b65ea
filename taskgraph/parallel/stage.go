package parallel

import "sync"

// A Stage is a step of a [Pipeline]. Make one with [Parallel], [Serial] or [InOrder].
type Stage[T any] struct {
	f    func(T) (T, error)
	mode mode
}

type mode uint8

const (
	modeParallel mode = iota
	modeSerial
	modeInOrder
)

// Parallel returns a stage that calls f for several tokens at a time.
func Parallel[T any](f func(T) (T, error)) Stage[T] { return newStage(f, modeParallel) }

// Serial returns a stage that calls f for one token at a time, in the order in which they arrive.
func Serial[T any](f func(T) (T, error)) Stage[T] { return newStage(f, modeSerial) }

// InOrder returns a stage that calls f for one token at a time, in the order in which they were
// drawn from the source.
func InOrder[T any](f func(T) (T, error)) Stage[T] { return newStage(f, modeInOrder) }

func newStage[T any](f func(T) (T, error), m mode) Stage[T] {
	if f == nil {
		panic("parallel: a stage with a nil function")
	}
	return Stage[T]{f, m}
}

// A gate lets tokens into one stage: one at a time, unless that is parallel. Who comes too early is
// left behind, and taken along by the one who leaves.
type gate[T any] struct {
	Stage[T]

	mu   sync.Mutex
	busy bool
	next uint64      // in order: the number of the token whose turn it is
	ring []*token[T] // who waits: in order, at its number; else from first on
	from int
	len  int
}

// enter lets t in, or leaves it behind: then somebody else carries it on, perhaps already.
func (g *gate[T]) enter(t *token[T]) bool {
	if g.mode == modeParallel {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.busy || g.mode == modeInOrder && t.number != g.next:
		at := t.number
		if g.mode == modeSerial {
			at = uint64(g.from + g.len)
			g.len++
		}
		g.ring[at%uint64(len(g.ring))] = t
		return false
	default:
		g.busy = true
		return true
	}
}

// leave is for the token that is in. It returns the one that is in now, and is the caller's to
// carry on.
func (g *gate[T]) leave() (in *token[T]) {
	if g.mode == modeParallel {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next++
	at := int(g.next % uint64(len(g.ring)))
	if g.mode == modeSerial {
		at = g.from
	}
	in = g.ring[at]
	if in == nil {
		g.busy = false
		return nil
	}
	g.ring[at] = nil
	if g.mode == modeSerial {
		g.from = (g.from + 1) % len(g.ring)
		g.len--
	}
	in.inside = true
	return in
}
