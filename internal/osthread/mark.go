package osthread

// The platform supplies, in thread_*.go or mark_*.go, the type mark and its methods alive and drop,
// and newMark, whose result is the zero mark where the system gives none.

// A Mark recognises one OS thread for as long as the mark is kept, whoever has its id afterwards.
// The zero Mark, and one that the system refused, recognises nothing and always answers that
// its thread lives.
//
// How, and what it holds until Drop: on Linux a timer of the thread's processor time, which never
// ends; on Windows a handle, with which the id is not used again. Darwin uses no id again and needs
// none. FreeBSD has nothing of the kind.
type Mark struct{ m mark }

// NewMark returns a mark of the calling thread.
func NewMark() Mark { return Mark{newMark()} }

// Alive reports whether the thread may live still. What has the same id as a thread that does not
// is another one. Any thread may ask.
func (m Mark) Alive() bool { return m.m.alive() }

// Drop gives back what the mark holds. It is the last call on the mark and its copies.
func (m Mark) Drop() { m.m.drop() }
