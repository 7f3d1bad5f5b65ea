package pipes

import (
	"errors"
	"fmt"
)

// What is missing has an error that wraps fs.ErrNotExist.
var (
	// ErrLimit is wrapped where something is larger than Limits or other options allow.
	ErrLimit = errors.New("pipes: over the limit")
	// ErrPath is wrapped by the error of a name that leads out of where it is to be looked up, or
	// to something that is no file.
	ErrPath = errors.New("pipes: path is not allowed")
	// ErrFormat is wrapped where bytes are not what their format says.
	ErrFormat = errors.New("pipes: damaged, or not of this format")
	// ErrHash is wrapped where bytes do not have the hash that the registry knows.
	ErrHash = errors.New("pipes: not the bytes that the registry knows")
	// ErrUnhandled is wrapped where no Fetcher has the scheme, or no Decoder the format.
	ErrUnhandled = errors.New("pipes: nobody is there for it")
)

// over returns an ErrLimit.
func over(what string, is, most int64) error {
	return fmt.Errorf("%w: %s: %d, at most %d", ErrLimit, what, is, most)
}

// endless is over for what has no size that is known.
func endless(what string, most int64) error {
	return fmt.Errorf("%w: %s: more than %d", ErrLimit, what, most)
}

// damaged returns an ErrFormat with its cause. What is over a limit stays that.
func damaged(what string, err error) error {
	if errors.Is(err, ErrLimit) || errors.Is(err, ErrFormat) || errors.Is(err, ErrPath) {
		return err
	}
	return fmt.Errorf("%w: %s: %w", ErrFormat, what, err)
}

// guard makes an ErrFormat of a panic of a library that parses.
func guard(what string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%w: %s: the decoder failed: %v", ErrFormat, what, p)
	}
}
