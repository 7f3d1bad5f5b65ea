package kdtree

// A part is a subtree that is being built: the points from one index up to another.
type part struct{ from, to, axis int }

// split puts the middle element of a part where it belongs, and returns the parts on both sides.
func (p part) split(points []Point) (low, high part) {
	if p.to-p.from < 2 {
		return part{p.from, p.from, 0}, part{p.to, p.to, 0}
	}
	middle := (p.from + p.to) / 2
	choose(points[p.from:p.to], middle-p.from, p.axis)
	next := (p.axis + 1) % len(Point{})
	return part{p.from, middle, next}, part{middle + 1, p.to, next}
}

// order splits a part until nothing is left to split.
func (p part) order(points []Point) {
	for p.to-p.from > 1 {
		low, high := p.split(points)
		low.order(points)
		p = high
	}
}

// choose puts the element that is k-th along an axis at index k, what is not greater before it and
// what is not less behind it: Hoare's Find, Communications of the ACM 4(7), 1961.
func choose(points []Point, k, axis int) {
	for lo, hi := 0, len(points)-1; lo < hi; {
		pivot := points[(lo+hi)/2][axis]
		i, j := lo, hi
		for i <= j {
			for points[i][axis] < pivot {
				i++
			}
			for points[j][axis] > pivot {
				j--
			}
			if i <= j {
				points[i], points[j] = points[j], points[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return
		}
	}
}
