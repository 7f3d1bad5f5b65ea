package pagecache

import (
	"errors"
	"os"
)

// ErrUnknown says that this system drops no pages when it is asked to, or does not say which it
// has.
var ErrUnknown = errors.New("this system does not say")

// Drop writes what is to be written of a file, and lets the system forget what it holds. It may
// keep what others use.
func Drop(f *os.File) error { return dropPages(f) }

// Resident returns how many pages of a file the system has in memory.
func Resident(f *os.File) (pages int, err error) { return resident(f) }
