package store

// A Kind says what is wrong with a file.
type Kind uint8

// The kinds.
const (
	// Missing: there is no file of that name.
	Missing Kind = iota + 1
	// Unreadable: it may not be read, is no ordinary file, leads out of the folder, is too large,
	// or the disk fails.
	Unreadable
	// Truncated: it ends before what it says about itself.
	Truncated
	// Changed: it was written to while it was read, or since it was read before.
	Changed
	// Damaged: its content means nothing.
	Damaged
	kinds
)

// String returns the kind's name.
func (k Kind) String() string {
	return [kinds]string{"well", "missing", "unreadable", "truncated", "changed", "damaged"}[k]
}
