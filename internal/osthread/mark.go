package osthread

// The platform supplies, in thread_*.go or mark_*.go, the type mark with its methods alive and
// drop, and newMark, whose result is the zero mark if the system provides none.

// A Mark recognises one OS thread for as long as the mark is kept, even if another thread gets the
// same id. The zero Mark, and one that the system refused, recognises nothing and always answers
// that its thread lives.
//
// Until Drop it holds, on Linux, a timer of the thread's processor time that never expires; on
// Windows, a handle, which keeps the id from being reused. Darwin reuses no ids and needs nothing.
// FreeBSD has nothing of the kind.
type Mark struct{ m mark }

// NewMark returns a mark of the calling thread.
func NewMark() Mark { return Mark{newMark()} }

// Alive reports whether the thread may still live. If not, a thread with the same id is another
// one. Any thread may ask.
func (m Mark) Alive() bool { return m.m.alive() }

// Drop gives back what the mark holds. It is the last call on the mark and its copies.
func (m Mark) Drop() { m.m.drop() }
