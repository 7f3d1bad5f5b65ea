package sites

// Depth is how many callers are kept.
const Depth = depth

// IsOurs reports whether a function belongs to the library.
func IsOurs(function string) bool { return isOurs(function) }

// NoteBelow notes a place below so many calls inside of this package.
//
//go:noinline
func (t *Table) NoteBelow(index uint32, ref uint64, calls int) {
	if calls > 1 {
		t.NoteBelow(index, ref, calls-1)
		return
	}
	t.Note(index, ref, 0)
}
