package namedthread

import (
	"errors"
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/osthread"
)

// byOSThread, see T1 and T2, maps ids of OS threads to named threads, for the whole process. The
// map that it points to never changes.
//
// An entry is made by the thread itself after it has locked its goroutine, and removed before the
// OS thread ends or the goroutine is unlocked. So as long as an id has an entry, only the goroutine
// of the named thread runs on that OS thread. An attached goroutine that ends without Detach leaves
// its entry; when the system has given the id to another thread, the old thread's mark shows that,
// and the entry is removed.
var byOSThread atomics.Pointer[map[uint64]*Thread]

// mainThread is the id of the OS thread on which the program began: initialisation runs there.
var mainThread, _ = osthread.ID()

// Current returns the named thread that the caller is, of whatever registry. If it is none,
// the error is [ErrNotNamed]; where OS threads have no id, it is errors.ErrUnsupported. It
// costs about a system call (BenchmarkCurrent) and does not allocate.
func Current() (*Thread, error) {
	// Locked: otherwise this goroutine could move, and the id that it has read could become that of
	// a named thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	id, err := osID()
	if err != nil {
		return nil, err
	}
	if t := onOSThread(id); t != nil {
		return t, nil
	}
	return nil, ErrNotNamed
}

// onOSThread returns the named thread of the calling OS thread, which has that id, or nil.
func onOSThread(id uint64) *Thread {
	m := byOSThread.Load()
	if m == nil {
		return nil
	}
	t := (*m)[id]
	if t != nil && t.attached && !t.mark.Alive() {
		// Its goroutine ended without Detach, and the id now belongs to another OS thread.
		if changeOSThread(id, t, nil) {
			t.mark.Drop()
		}
		return nil
	}
	return t
}

// owns reports whether the caller is t, if that can be known. A true answer is exact only for
// a caller whose goroutine is locked.
func (t *Thread) owns() (owns, known bool) {
	id, err := osID()
	return err == nil && onOSThread(id) == t, err == nil
}

// osID returns the id of the calling OS thread. A thread of a model has none, as on js: what the
// process knows of its OS threads is no part of an execution.
func osID() (uint64, error) {
	if atomics.Modeled() {
		return 0, errors.ErrUnsupported
	}
	return osthread.ID()
}

// setOSThread makes t the named thread of an OS thread; nil removes the entry. The caller is on
// that OS thread.
func setOSThread(id uint64, t *Thread) { changeOSThread(id, onOSThread(id), t) }

// changeOSThread replaces the entry of an OS thread if it is from; nil stands for no entry.
func changeOSThread(id uint64, from, to *Thread) bool {
	for {
		old := byOSThread.Load()
		m := map[uint64]*Thread{}
		if old != nil {
			for k, v := range *old {
				m[k] = v
			}
		}
		if m[id] != from {
			return false
		}
		if delete(m, id); to != nil {
			m[id] = to
		}
		if byOSThread.CompareAndSwap(old, &m) { // LP(changeOSThread)
			return true
		}
	}
}
