package assets

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/taskgraph"
)

// An Item is a resource on its way through the pipes. One pipe at a time has it; what a pipe did
// happens before the next one begins. Pipes read and write the fields, which are empty at first,
// but for those of the first group.
type Item struct {
	ID       ID
	Platform Platform
	Registry Registry // of the manager that loads it

	// GUID and Info say what is known of it; Info.Type chooses its TypeRule.
	GUID GUID
	Info Info
	// Variant is what is to be loaded here and now: Variant.Path says where the bytes are, the
	// scheme of a URL by whom they are fetched, Variant.Format how they are decoded.
	Variant Variant

	// Data is the bytes that were fetched. A pipe that is done with them sets it to nil; they are
	// dropped at Dependencies and at the end.
	Data []byte
	// Value is what the bytes were decoded to, and what becomes of the resource in the end. If it
	// is an io.Closer, it is closed when the resource is unloaded or fails later on.
	Value any
	// Size is how many bytes of memory Value takes, for the budget of what is kept. Default:
	// the length of Data, or else Variant.Size.
	Size int64
	// Children are the resources that it depends on. They are looked at by the pipe of
	// Dependencies. Doubles do not matter.
	Children []ID
	// Keep is how long the resource stays; the default is that of its TypeRule.
	Keep Keep

	life   *life
	flight *flight     // of the Pipeline that has it
	then   func(error) // what Await was given
}

// Priority returns the item's priority, which may have risen since the last call.
func (it *Item) Priority() taskgraph.Priority {
	if it.life == nil {
		return taskgraph.PriorityNormal
	}
	return it.life.priority()
}

// Child returns the value of one of the Children, for pipes after Dependencies. The error wraps
// ErrCycle for an edge that was cut, ErrUnknown for what is no child, and else says why the child
// failed.
func (it *Item) Child(id ID) (any, error) {
	if it.life == nil {
		return nil, fmt.Errorf("%w: %q is no child of %q", ErrUnknown, id, it.ID)
	}
	return it.life.child(id)
}

// Reserve makes sure that n bytes in all are set aside for the item in the budget of the pipeline:
// for a pipe that finds that it needs more than Pipe.Bytes said. If so many are not free it returns
// ErrBudget, and takes nothing. Run then returns that: the item gives back what it has, and begins
// again at the first pipe with Bytes when n bytes are free. ErrBudget is final if n is more than
// the whole budget. Outside of a Pipeline it does nothing.
func (it *Item) Reserve(n int64) error {
	if it.flight == nil {
		return nil
	}
	return it.flight.reserve(n)
}

// Context returns a context that ends when the manager closes. This and the following methods are
// for a Loader.
func (it *Item) Context() context.Context { return it.life.m.ctx }

// Wanted reports whether somebody still holds the resource. After false the load must end, with
// ErrReleased: then it is loaded again for whoever asks next. A Loader calls it between two pipes,
// but not between Await and the call of its function.
func (it *Item) Wanted() bool { return it.life.wanted() }

// Await gives the Children to the manager, and has then called once when all that the item depends
// on has been loaded as far as it can be, by any goroutine, which must not be held up. If that gets
// an error the load must end with it.
func (it *Item) Await(then func(error)) {
	it.settleSize()
	it.then = then
	it.life.m.turn.Put(note{kind: noteAwait, life: it.life})
}

// Done says that the load has ended. Nobody but the manager uses the item from then on.
func (it *Item) Done(err error) {
	it.settleSize()
	it.life.m.turn.Put(note{kind: noteEnded, life: it.life, err: err})
}

// settleSize chooses the Size, and drops the Data.
func (it *Item) settleSize() {
	if it.Size == 0 && it.Value != nil {
		it.Size = int64(len(it.Data))
		if it.Size == 0 {
			it.Size = it.Variant.Size
		}
	}
	it.Data = nil
}
