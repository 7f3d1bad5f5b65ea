package taskgraph

import "iter"

// Forks are calls that a body has forked, to be joined all at once. The zero value has none. It is
// for one body or forked call, usually a variable of the function that forks, and must not be
// copied. It joins only what was forked through it.
type Forks[T any] struct{ last *forkCell[T] }

// Fork forks a call of f with v, like [ForkOf].
func (s *Forks[T]) Fork(c *Context, f func(c *Context, v *T), v T) {
	must(s.last == nil || s.last.join.in == c, "Forks of two bodies")
	j := ForkOf(c, f, v)
	j.cell.join, j.cell.last = Join{j.in, j.k}, s.last
	s.last = j.cell
}

// Wait waits for all calls, the last one first, as [Join.Wait] does. After a panic the others can
// still be waited for.
func (s *Forks[T]) Wait() {
	for s.last != nil {
		s.next().Wait()
	}
}

// Results waits for the calls, the last one first, and yields what each has left of its T as soon
// as it has ended. After a break or a panic the others can still be waited for.
func (s *Forks[T]) Results() iter.Seq[T] {
	return func(yield func(T) bool) {
		for s.last != nil {
			if !yield(s.next().Wait()) {
				return
			}
		}
	}
}

func (s *Forks[T]) next() JoinOf[T] {
	k := s.last
	s.last, k.last = k.last, nil
	return JoinOf[T]{k.join.in, k.join.k, k}
}
