//go:build modelcheck || (linux && gc && !heddle_nolinkname && !race && !heddle_count)

package park

import "github.com/heddle-go/heddle/internal/atomics"

// A berth lets a waker choose the processor of a thread that waits in the kernel. A kernel often
// queues a woken thread behind its waker, on the waker's processor, though another one is idle. A
// waker that goes on working steers the sleeper: it binds it to the other processor, and the
// sleeper undoes that when it is awake.
//
// The sleeper calls enter and leave, on one thread; any number of wakers may call steer at any
// time.
type berth struct {
	//	B1 only the sleeper's thread moves the word to its own id and to nobody.
	//	B2 only the waker that moved the word from an id to binding moves it on, to bound or back.
	//	B3 a thread is bound only while the word is binding or bound, until its leave has
	//	   returned.
	word atomics.Uint32
	mask uint64 // where the thread may run; for the sleeper, while the word is bound
}

// The values of berth.word other than ids of threads, which are less than these.
const (
	nobody  uint32 = 0
	binding uint32 = 1<<31 + iota // a waker is about to bind the thread
	bound                         // the thread is bound, and has to undo that
)

// enter says that the calling thread, of that id, is about to wait.
//
//go:nosplit
func (b *berth) enter(thread uint32) { b.word.Store(thread) }

// leave ends enter, and reports whether it could: it must be repeated while a waker is binding the
// thread. A thread that was bound undoes that, by mask, before it does anything else.
//
//go:nosplit
func (b *berth) leave() (done, wasBound bool) {
	switch v := b.word.Load(); v {
	case binding:
		return false, false
	case bound:
		b.word.Store(nobody)
		return true, true
	default:
		return b.word.CompareAndSwap(v, nobody), false // fails if a waker comes between
	}
}

// steerBy binds the waiting thread, if there is one. look returns where a thread may run and
// whether it should be bound; bind binds it, and reports whether it could.
func (b *berth) steerBy(look func(thread uint32) (mask uint64, ok bool),
	bind func(thread uint32, mask uint64) bool) {
	thread := b.word.Load()
	if thread == nobody || thread >= binding {
		return
	}
	mask, ok := look(thread)
	if !ok || !b.word.CompareAndSwap(thread, binding) {
		return
	}
	b.mask = mask
	if bind(thread, mask) {
		b.word.Store(bound)
	} else {
		b.word.Store(thread)
	}
}
