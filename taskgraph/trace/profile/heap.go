package profile

// A heap is a binary heap: all[0] is before all others.
type heap[T any] struct {
	all    []T
	before func(a, b T) bool
}

func (h *heap[T]) push(x T) {
	h.all = append(h.all, x)
	i := len(h.all) - 1
	for i > 0 && h.before(h.all[i], h.all[(i-1)/2]) {
		h.all[i], h.all[(i-1)/2] = h.all[(i-1)/2], h.all[i]
		i = (i - 1) / 2
	}
}

func (h *heap[T]) pop() T {
	top := h.all[0]
	last := len(h.all) - 1
	h.all[0] = h.all[last]
	h.all = h.all[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h.before(h.all[child], h.all[least]) {
				least = child
			}
		}
		if least == i {
			return top
		}
		h.all[i], h.all[least] = h.all[least], h.all[i]
		i = least
	}
}
