package lockfree

import "iter"

// drain is Drain of what pop pops from.
func drain[T any](pop func() (T, bool)) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			if v, ok := pop(); !ok || !yield(v) {
				return
			}
		}
	}
}
