package history

import "hash/maphash"

// A memory is a set of pairs of a set of calls and a state. It is a hash table with open
// addressing that is emptied at no cost.
type memory[S comparable] struct {
	seed  maphash.Seed
	age   uint32 // pairs of another age are not there
	count int
	cells []cell[S] // a power of two, more than half of them free
}

type cell[S comparable] struct {
	age   uint32
	done  uint64
	state S
}

const memoryCells = 64 // at first, a power of two

// forget empties the memory.
func (m *memory[S]) forget() {
	if m.count == 0 {
		return
	}
	m.count = 0
	m.age++
	if m.age == 0 {
		clear(m.cells)
		m.age = 1
	}
}

// find returns the cell of a pair or the free one in which it belongs.
func (m *memory[S]) find(done uint64, state *S) *cell[S] {
	hash := maphash.Comparable(m.seed, *state) ^ done*0x9e3779b97f4a7c15
	hash ^= hash >> 32
	mask := uint64(len(m.cells) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if c := &m.cells[i]; c.age != m.age || c.done == done && c.state == *state {
			return c
		}
	}
}

func (m *memory[S]) has(done uint64, state *S) bool {
	return m.count > 0 && m.find(done, state).age == m.age
}

func (m *memory[S]) add(done uint64, state *S) {
	if 2*m.count >= len(m.cells) {
		m.grow()
	}
	if c := m.find(done, state); c.age != m.age {
		*c = cell[S]{m.age, done, *state}
		m.count++
	}
}

func (m *memory[S]) grow() {
	old := m.cells
	m.cells = make([]cell[S], max(memoryCells, 2*len(old)))
	age := m.age
	m.age = 1 // cells are made with age 0
	for i := range old {
		if c := &old[i]; c.age == age {
			*m.find(c.done, &c.state) = cell[S]{m.age, c.done, c.state}
		}
	}
}
