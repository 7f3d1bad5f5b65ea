package ark

import "github.com/mlange-42/ark/ecs"

// A mask is a set of components.
type mask [4]uint64

func (m *mask) set(id ecs.ID) { m[id.Index()/64] |= 1 << (id.Index() % 64) }

func (m *mask) unset(id ecs.ID) { m[id.Index()/64] &^= 1 << (id.Index() % 64) }

func (m *mask) contains(o *mask) bool {
	return m[0]&o[0] == o[0] && m[1]&o[1] == o[1] && m[2]&o[2] == o[2] && m[3]&o[3] == o[3]
}

func (m *mask) intersects(o *mask) bool {
	return m[0]&o[0]|m[1]&o[1]|m[2]&o[2]|m[3]&o[3] != 0
}
