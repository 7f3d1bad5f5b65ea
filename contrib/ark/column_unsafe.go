package ark

import (
	"unsafe"

	"github.com/mlange-42/ark/ecs"
)

// rows returns the values of a component in the rows of a chunk.
//
// A column is one array of Ark, of which the table knows the first element, and its length rows are
// in use. The array is not given up before the next flush, and the pointer keeps it alive.
func rows[T any](t *table, id ecs.ID, c *Chunk) []T {
	base := t.base(id)
	if base == nil {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Add(base, uintptr(c.lo)*unsafe.Sizeof(*new(T)))), c.n)
}

// at returns the component of an entity, or nil.
func at[T any](d *column, e ecs.Entity) *T {
	if !d.world.Alive(e) {
		return nil
	}
	u := d.world.Unsafe()
	if !u.HasUnchecked(e, d.id) {
		return nil
	}
	return (*T)(u.GetUnchecked(e, d.id))
}
