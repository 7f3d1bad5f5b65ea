package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// A Fault is what is wrong with a file.
type Fault struct {
	Name string // of the file
	Kind Kind
	Err  error
}

// Error returns one line that begins with the file's name.
func (f *Fault) Error() string {
	cause := strings.Join(strings.Fields(f.Err.Error()), " ")
	return fmt.Sprintf("%s: %v: %s", f.Name, f.Kind, cause)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// errChanged is the cause of Changed.
var errChanged = errors.New("it was written to while it was read")

var errOther = errors.New("it is not what it was when it was read before")

// faultOf returns what an error says about a file: nil if there is none.
func faultOf(name string, err error) *Fault {
	var f *Fault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f) && f.Name == name:
		return f
	case f != nil: // of a file that this one names
		return &Fault{name, f.Kind, fmt.Errorf("%s: %w", f.Name, f.Err)}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Fault{name, Truncated, err}
	}
	return &Fault{name, Damaged, err}
}

// refused returns the fault of a file that could not be opened or read.
func refused(name string, err error) *Fault {
	cause := err
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		cause = p.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &Fault{name, Missing, cause}
	}
	return &Fault{name, Unreadable, cause}
}
