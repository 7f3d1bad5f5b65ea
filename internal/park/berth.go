//go:build modelcheck || (linux && gc && !heddle_nolinkname && !race && !heddle_count)

package park

import "github.com/heddle-go/heddle/internal/atomics"

// A berth is where a thread that waits in the kernel can be told on which processor to go on. A
// kernel often puts a woken thread behind its waker, on the waker's processor, though another one
// is idle. A waker that goes on working steers it: it binds the sleeper to the other processor, and
// the sleeper takes that off when it is awake.
//
// Enter and leave are the sleeper's, on one thread; steer may be called by any number of wakers at
// any time.
type berth struct {
	//	B1 only the sleeper's thread moves the word to its own id and to nobody.
	//	B2 only the waker that moved the word from an id to binding moves it on, to bound or back.
	//	B3 a thread is bound only while the word is binding or bound, until its leave has returned.
	word atomics.Uint32
	mask uint64 // where the thread may run, for the sleeper while the word is bound
}

// The values of berth.word beside the id of a thread, which is less than either.
const (
	nobody  uint32 = 0
	binding uint32 = 1<<31 + iota // a waker is about to bind the thread
	bound                         // it has, and the thread takes that off
)

// enter says that the calling thread, of that id, is about to wait.
//
//go:nosplit
func (b *berth) enter(thread uint32) { b.word.Store(thread) }

// leave ends enter, and reports whether it could: it must be repeated while a waker is at work. A
// thread that was bound takes that off, by mask, before it does anything else.
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

// steerBy binds the thread that waits, if there is one. Look returns where a thread may run and
// whether it is to be bound; bind does that, and reports whether it could.
func (b *berth) steerBy(look func(thread uint32) (mask uint64, ok bool), bind func(thread uint32, mask uint64) bool) {
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
