package store

import "errors"

var (
	// ErrDamaged is wrapped where bytes on the disk are not those that were written. A registry
	// that is damaged has to be made anew of what it lists; a cache drops what is damaged.
	ErrDamaged = errors.New("store: damaged")
	// ErrLocked is wrapped if another process, or another Registry of this one, has the file open.
	ErrLocked = errors.New("store: in use")
	// ErrLimit is wrapped where something is larger than a stated limit.
	ErrLimit = errors.New("store: over the limit")
)
