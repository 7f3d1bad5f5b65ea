package kdtree

// A search looks for the point that is nearest to p.
type search struct{ p, best Point }

// visit looks into a subtree: first on the side of p, then on the other if that can be nearer.
func (s *search) visit(points []Point, axis int) {
	for len(points) > 0 {
		middle := len(points) / 2
		node := points[middle]
		if distance(s.p, node) < distance(s.p, s.best) {
			s.best = node
		}
		near, far := points[:middle], points[middle+1:]
		across := s.p[axis] - node[axis]
		if across > 0 {
			near, far = far, near
		}
		axis = (axis + 1) % len(s.p)
		s.visit(near, axis)
		if across*across >= distance(s.p, s.best) {
			return
		}
		points = far
	}
}

// distance returns the square of the distance of two points.
func distance(a, b Point) (d float64) {
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
	}
	return d
}
