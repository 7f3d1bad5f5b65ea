package namedthread

import (
	"errors"
	"fmt"
)

// ErrNoThread is wrapped where an [ID] asks for a thread that the registry does not have, or
// for none in particular.
var ErrNoThread = errors.New("namedthread: no such thread")

// Find returns the thread that id asks for, if there is one: that of its index, and if the ID
// has a generation, of that generation. For an ID of [AnyThread] there is none.
func (r *Registry) Find(id ID) (*Thread, bool) {
	t, ok := r.At(id.Index())
	if !ok || id.Generation() != 0 && id.Generation() != t.generation {
		return nil, false
	}
	return t, true
}

// Post posts to the thread that id asks for, with the queue and priority of id, as
// [Thread.Post] does. Where there is no such thread nothing is done and the error wraps
// [ErrNoThread]: the caller decides whether to run the work elsewhere. It panics if id is not
// valid.
func (r *Registry) Post(id ID, what Runnable, token uint64) error {
	if !id.Valid() {
		panic("namedthread: Post to " + id.String())
	}
	t, ok := r.Find(id)
	if !ok {
		return fmt.Errorf("%w: %v", ErrNoThread, id)
	}
	return t.Post(id.Queue(), id.Priority(), what, token)
}
