package rigid

import (
	"slices"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

const margin = 0.02 // metres apart within which bodies count as near

// Begin says how long the step is that starts. It comes before Prepare.
func (w *World) Begin(dt float32) { w.dt = dt }

// Prepare computes the bounds and the inertia of the bodies [lo, hi).
func (w *World) Prepare(lo, hi int) {
	for i := max(lo, 1); i < hi; i++ {
		if w.Kind[i] == Gone {
			continue
		}
		w.Impact[i] = 0
		w.bound(i, w.dt)
		w.inv[i] = sym3{}
		if w.Kind[i] == Forces {
			x, y, z := w.Rot[i].Axes()
			w.inv[i].outer(x, w.invSelf[i].X)
			w.inv[i].outer(y, w.invSelf[i].Y)
			w.inv[i].outer(z, w.invSelf[i].Z)
		}
	}
}

// bound sets the bounds of body i and of the way that it goes in dt.
func (w *World) bound(i int, dt float32) {
	h := w.Half[i]
	if w.Shape[i] == Box {
		x, y, z := w.Rot[i].Axes()
		h = x.Abs().Scale(h.X).AddScaled(y.Abs(), h.Y).AddScaled(z.Abs(), h.Z)
	}
	b := vec.BoxAt(w.Pos[i], h)
	if dt != 0 {
		go1 := w.Vel[i].Scale(dt)
		b = vec.AABB{Min: b.Min.Add(go1.Min(vec.Vec3{})), Max: b.Max.Add(go1.Max(vec.Vec3{}))}
		b = b.Grow(margin)
	}
	w.Bounds[i] = b
}

// Sort puts the bodies in order of their left ends. From step to step little changes.
func (w *World) Sort() {
	o := w.order
	for k := 1; k < len(o); k++ {
		i := o[k]
		x, j := w.Bounds[i].Min.X, k
		for ; j > 0; j-- {
			p := o[j-1]
			if y := w.Bounds[p].Min.X; y < x || y == x && p < i {
				break
			}
			o[j] = p
		}
		o[j] = i
	}
}

// Pairs finds, for the bodies at the places [lo, hi) of the order, who overlaps them from
// further on, and the ground.
func (w *World) Pairs(lo, hi int) {
	for k := lo; k < hi; k++ {
		i := w.order[k]
		list, n := w.partner[k*maxPairs:(k+1)*maxPairs], int32(0)
		if w.Kind[i] == Forces && w.Bounds[i].Min.Y < 0 {
			list[0], n = 0, 1
		}
		b := w.Bounds[i]
		for _, j := range w.order[k+1:] {
			if w.Bounds[j].Min.X > b.Max.X {
				break
			}
			if w.Kind[i] != Forces && w.Kind[j] != Forces || !b.Overlaps(w.Bounds[j]) {
				continue
			}
			if g := w.group[i]; g != 0 && g == w.group[j] {
				continue
			}
			if n < maxPairs {
				list[n] = j
			}
			n++
		}
		w.partners[k] = n
	}
}

// Gather brings the pairs into one order and finds for each what it was in the last step.
func (w *World) Gather() {
	w.keys, w.Dropped = w.keys[:0], 0
	for k, i := range w.order {
		n := w.partners[k]
		if n > maxPairs {
			w.Dropped += int(n - maxPairs)
			n = maxPairs
		}
		for _, j := range w.partner[k*maxPairs : k*maxPairs+int(n)] {
			if len(w.keys) == cap(w.keys) {
				w.Dropped++
				continue
			}
			w.keys = append(w.keys, uint64(min(i, j))<<32|uint64(max(i, j)))
		}
	}
	slices.Sort(w.keys)
	w.cur, w.old = w.old[:len(w.keys)], w.cur
	at := 0
	for k, key := range w.keys {
		for at < len(w.old) && w.old[at].key < key {
			at++
		}
		m := &w.cur[k]
		m.key, m.a, m.b, m.before = key, int32(key>>32), int32(key&0xffffffff), -1
		if at < len(w.old) && w.old[at].key == key {
			m.before = int32(at)
		}
	}
}

// PairCount returns the number of pairs that Gather found.
func (w *World) PairCount() int { return len(w.keys) }

// Link finds the islands.
func (w *World) Link() {
	for i := range w.parent {
		w.parent[i] = int32(i)
	}
	for k := range w.cur {
		if m := &w.cur[k]; m.n > 0 && w.Kind[m.a] == Forces && w.Kind[m.b] == Forces {
			w.unite(m.a, m.b)
		}
	}
	for k := range w.joints {
		if j := &w.joints[k]; w.Kind[j.a] == Forces && w.Kind[j.b] == Forces {
			w.unite(j.a, j.b)
		}
	}
	// Islands are numbered by their lowest body, which is its own parent.
	n := int32(0)
	clear(w.bodyStart)
	clear(w.touchStart)
	clear(w.jointStart)
	for i, kind := range w.Kind {
		w.island[i] = -1
		if kind != Forces {
			continue
		}
		if r := w.find(int32(i)); int(r) == i {
			w.island[i] = n
			n++
		} else {
			w.island[i] = w.island[r]
		}
		w.bodyStart[w.island[i]+1]++
	}
	w.islands = int(n)
	for k := range w.cur {
		if m := &w.cur[k]; m.n > 0 {
			w.touchStart[w.islandOf(m)+1]++
		}
	}
	for k := range w.joints {
		w.jointStart[w.islandOfJoint(k)+1]++
	}
	for i := range n {
		w.bodyStart[i+1] += w.bodyStart[i]
		w.touchStart[i+1] += w.touchStart[i]
		w.jointStart[i+1] += w.jointStart[i]
	}
	// Filling moves each start to the end of its run, which is the next one's start.
	for i := range w.Kind {
		if is := w.island[i]; is >= 0 {
			w.bodies[w.bodyStart[is]] = int32(i)
			w.bodyStart[is]++
		}
	}
	for k := range w.cur {
		if m := &w.cur[k]; m.n > 0 {
			is := w.islandOf(m)
			w.touches[w.touchStart[is]] = int32(k)
			w.touchStart[is]++
		}
	}
	for k := range w.joints {
		is := w.islandOfJoint(k)
		w.held[w.jointStart[is]] = int32(k)
		w.jointStart[is]++
	}
	for _, start := range [...][]int32{w.bodyStart, w.touchStart, w.jointStart} {
		copy(start[1:n+1], start[:n])
		start[0] = 0
	}
}

// unite makes two bodies be of one island.
func (w *World) unite(a, b int32) {
	a, b = w.find(a), w.find(b)
	w.parent[max(a, b)] = min(a, b)
}

// Islands returns the number of islands that Link found. A body that touches nothing is one.
func (w *World) Islands() int { return w.islands }

// Bodies returns the bodies of an island.
func (w *World) Bodies(island int) []int32 {
	return w.bodies[w.bodyStart[island]:w.bodyStart[island+1]]
}

// IslandOf returns the island of a body, or -1 if no forces move it.
func (w *World) IslandOf(body int) int { return int(w.island[body]) }

// islandOf returns the island of a touching pair: one of its two bodies moves by forces.
func (w *World) islandOf(m *manifold) int32 { return max(w.island[m.a], w.island[m.b]) }

// islandOfJoint returns the island of a joint, likewise.
func (w *World) islandOfJoint(k int) int32 {
	return max(w.island[w.joints[k].a], w.island[w.joints[k].b])
}

func (w *World) find(i int32) int32 {
	for w.parent[i] != i {
		w.parent[i] = w.parent[w.parent[i]]
		i = w.parent[i]
	}
	return i
}
