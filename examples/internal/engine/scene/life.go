package scene

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// Marks is a set of objects that were reached. Each participant of a parallel mark has its
// own, so that none writes what another reads; what two of them reach is traced twice.
type Marks struct {
	bits  []uint64
	stack []ID
}

// NewMarks returns an empty set with room for all objects.
func (s *Scene) NewMarks() Marks {
	n := s.Objects.Len()
	return Marks{make([]uint64, (n+63)/64), make([]ID, 0, n+maxRefs)}
}

// Clear empties the set.
func (m *Marks) Clear() { clear(m.bits) }

// Words returns how many words Merge ranges over.
func (m *Marks) Words() int { return len(m.bits) }

// Has reports whether an object was reached.
func (m *Marks) Has(i ID) bool { return m.bits[i/64]&(1<<(i%64)) != 0 }

func (m *Marks) visit(i ID) {
	if w, b := &m.bits[i/64], uint64(1)<<(i%64); *w&b == 0 {
		*w |= b
		m.stack = append(m.stack, i)
	}
}

// Mark adds to the set what can be reached from the roots [lo, hi). Objects must not be born
// or die meanwhile.
func (s *Scene) Mark(m *Marks, lo, hi int) {
	for _, r := range s.Roots[lo:hi] {
		m.visit(r)
		for len(m.stack) > 0 {
			i := m.stack[len(m.stack)-1]
			m.stack = m.stack[:len(m.stack)-1]
			for _, ref := range s.Objects.Refs[i] {
				if ref != None {
					m.visit(ref)
				}
			}
		}
	}
}

// Merge adds the words [lo, hi) of other sets to this one.
func (m *Marks) Merge(others []Marks, lo, hi int) {
	for k := range others {
		for w := lo; w < hi; w++ {
			m.bits[w] |= others[k].bits[w]
		}
	}
}

// Equal reports whether two sets hold the same.
func (m *Marks) Equal(o *Marks) bool {
	for w := range m.bits {
		if m.bits[w] != o.bits[w] {
			return false
		}
	}
	return true
}

// MarkSerial returns what can be reached from all roots: the reference for a parallel mark. It
// goes over all objects until no more is found, instead of following references.
func (s *Scene) MarkSerial() *Marks {
	m, o := &s.marks, &s.Objects
	m.Clear()
	m.stack = m.stack[:0]
	for _, r := range s.Roots {
		m.bits[r/64] |= 1 << (r % 64)
	}
	for more := true; more; {
		more = false
		for i := range o.Alive {
			if !m.Has(ID(i)) {
				continue
			}
			for _, r := range o.Refs[i] {
				if r != None && !m.Has(r) {
					m.bits[r/64] |= 1 << (r % 64)
					more = true
				}
			}
		}
	}
	return m
}

// CollectDue reports whether a sweep belongs to this frame.
func (s *Scene) CollectDue() bool { return s.Frame%CollectEvery == 0 }

// Sweep removes the objects that are not in the set and returns how many. It is sequential,
// between frames.
func (s *Scene) Sweep(m *Marks) int {
	dead := 0
	o := &s.Objects
	for i := range o.Alive {
		if !o.Alive[i] || m.Has(ID(i)) {
			continue
		}
		dead++
		k, slot := o.Kind[i], int(o.Slot[i])
		if b := int(o.Body[i]); b != 0 {
			s.World.Remove(b)
		}
		switch k {
		case Emitter:
			s.Particles.Emitters[slot].On = false
			s.Particles.Reset(slot)
			s.Particles.Bounds[slot] = vec.EmptyAABB()
		case Voice:
			s.voices[slot] = voice{}
		}
		if s.used[k] != nil {
			s.used[k][slot] = false
			s.free[k] = append(s.free[k], int32(slot))
		}
		o.remove(ID(i))
		s.dirty = true
	}
	return dead
}

// Script is what the game decides between frames: now and then a root is given up. It is
// sequential.
func (s *Scene) Script() {
	if s.Frame%dropEvery == 0 && s.timed() && len(s.Roots) > s.permanent()+keep {
		// The oldest of those that were loaded.
		p := s.permanent()
		s.Roots = append(s.Roots[:p], s.Roots[p+1:]...)
	}
}

// permanent returns how many roots are never given up: one for each courtyard and one for the
// rest.
func (s *Scene) permanent() int { return s.Size + 1 }

const (
	dropEvery = 20
	keep      = 2 // of the loaded roots
)

// timed reports whether prefabs are read by a timetable: where there are sites, the camera says
// when what is read.
func (s *Scene) timed() bool { return len(s.sites) == 0 }

// LoadWanted returns the prefab, by its number in [Prefabs], whose file is to be read from
// this frame on, if one is.
func (s *Scene) LoadWanted() (prefab int, ok bool) {
	if s.Frame%LoadEvery != 0 || !s.timed() {
		return 0, false
	}
	return int(s.Frame/LoadEvery) % len(Prefabs), true
}

// LoadDue returns the prefab that is to be adopted at the end of this frame, if one is: the
// one wanted LoadTime frames ago.
func (s *Scene) LoadDue() (prefab int, ok bool) {
	if !s.timed() || s.Frame <= LoadTime || (s.Frame-LoadTime)%LoadEvery != 0 {
		return 0, false
	}
	return int((s.Frame-LoadTime)/LoadEvery) % len(Prefabs), true
}
