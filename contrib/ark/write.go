package ark

import "github.com/mlange-42/ark/ecs"

// A Write is a component that a system reads and writes. Make one with [WriteOf]. It may be copied;
// chunks of its system may use it at the same time, each for its own rows.
type Write[T any] struct {
	d *column
}

// WriteOf declares that a system reads and writes component T. It panics as [ReadOf] does.
func WriteOf[T any](a *Access) Write[T] { return Write[T]{declare[T](a, true)} }

// Of returns the component's values in the rows of c, to be read and written, or nil if these
// entities do not have it. They must not be kept after c's function has returned. It panics if c
// belongs to another system than the handle.
func (w Write[T]) Of(c *Chunk) []T { return rows[T](w.d.of(c), w.d.id, c) }

// Get returns the component of any entity, or nil if it lacks the component or is not alive. The
// chunks of a system run at the same time: to which entity they write in this way is for the system
// to arrange. It panics unless the system that declared the handle runs.
func (w Write[T]) Get(e ecs.Entity) *T {
	w.d.running()
	return at[T](w.d, e)
}

func (w Write[T]) column() *column { return w.d }
