package namedthread

import "errors"

var (
	// ErrClosed is returned by [Thread.Post] once the thread has been told to quit, and by a
	// pump that ended because of that.
	ErrClosed = errors.New("namedthread: thread has quit")

	// ErrReentered is returned by a pump that was called from inside a pump of the same
	// queue, and by [Thread.PumpUntil] and [Thread.Detach] from inside any pump or wait.
	ErrReentered = errors.New("namedthread: called again from inside")

	// ErrNameTaken is returned where the registry has a thread of that name.
	ErrNameTaken = errors.New("namedthread: name is taken")

	// ErrName is returned where a name is empty or holds a zero byte.
	ErrName = errors.New("namedthread: name must not be empty or hold a zero byte")

	// ErrRegistryFull is returned where the registry holds [MaxThreads] threads already.
	ErrRegistryFull = errors.New("namedthread: registry is full")

	// ErrAttached is returned by [Registry.Attach] on a goroutine that is a named thread
	// already, of whatever registry. Where OS threads have no id this is not found.
	ErrAttached = errors.New("namedthread: goroutine is a named thread already")

	// ErrNotAttached is returned by [Thread.Detach] of a thread that [Registry.Start] made.
	ErrNotAttached = errors.New("namedthread: thread was not attached")

	// ErrNotNamed is returned by [Current] where the caller is no named thread.
	ErrNotNamed = errors.New("namedthread: caller is no named thread")

	// ErrDropped is wrapped by the error of a thread that quit with accepted work left whose
	// Runnable is no Canceler.
	ErrDropped = errors.New("namedthread: accepted work was dropped")
)
