package namedthread

// A Func is a [Runnable] made of a function; the thread and the token are not handed on. It
// is no [Canceler].
type Func func()

// RunOn calls f.
func (f Func) RunOn(*Thread, uint64) { f() }
