package tick

// A cooling is a binary heap of what has an interval: the first is due first, and of several the
// one that was added first.
type cooling []*Tick

func (h cooling) less(i, j int) bool {
	if h[i].due != h[j].due {
		return h[i].due < h[j].due
	}
	return h[i].seq < h[j].seq
}

func (h *cooling) push(t *Tick) {
	*h = append(*h, t)
	a := *h
	for i := len(a) - 1; i > 0; {
		up := (i - 1) / 2
		if !a.less(i, up) {
			break
		}
		a[i], a[up] = a[up], a[i]
		i = up
	}
}

func (h *cooling) pop() *Tick {
	a := *h
	t, n := a[0], len(a)-1
	a[0], a[n] = a[n], nil
	a = a[:n]
	*h = a
	for i := 0; ; {
		least := i
		for _, down := range [...]int{2*i + 1, 2*i + 2} {
			if down < n && a.less(down, least) {
				least = down
			}
		}
		if least == i {
			return t
		}
		a[i], a[least] = a[least], a[i]
		i = least
	}
}
