package ark

import "github.com/mlange-42/ark/ecs"

// A Read is a component that a system reads. Make one with [ReadOf]. It may be copied; chunks of
// its system may use it at the same time.
type Read[T any] struct {
	d *column
}

// ReadOf declares that a system reads component T. It panics if T is not registered and the world
// has no room for another component, or is locked.
func ReadOf[T any](a *Access) Read[T] { return Read[T]{declare[T](a, false)} }

// Of returns the component's values in the rows of c, or nil if these entities do not have it. They
// must not be written, which nothing but [VerifyWrites] finds, nor kept after c's function has
// returned. It panics if c belongs to another system than the handle.
func (r Read[T]) Of(c *Chunk) []T { return rows[T](r.d.of(c), r.d.id, c) }

// Get returns the component's value of any entity, and whether it has one: false if it lacks the
// component or is not alive. It panics unless the system that declared the handle runs.
func (r Read[T]) Get(e ecs.Entity) (T, bool) {
	r.d.running()
	if v := at[T](r.d, e); v != nil {
		return *v, true
	}
	var none T
	return none, false
}

func (r Read[T]) column() *column { return r.d }
