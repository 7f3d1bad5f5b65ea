package forks

import "github.com/heddle-go/heddle/taskgraph/internal/kernel"

// A Call is a forked call. Its memory is used for ever again, never for anything else. As it goes
// from slot to slot it is a cache line by itself, if an A has 32 bytes.
type Call[C, A any] struct {
	Args A
	F    func(*C, *A) // nil when it has begun in the body that made it
	In   *C           // of that body; nil: another ran the call, which failed, see Pool.Fail
	Next *Call[C, A]  // the one that the body made before
	n    uint32       // its number, with private while it is in a Stack
	Join kernel.Join
}

const private = 1 << 31

// IsPrivate reports whether k is in a Stack, or was made in one and runs since.
func (k *Call[C, A]) IsPrivate() bool { return k.n >= private }

// Number returns the number by which Pool.At finds k.
func (k *Call[C, A]) Number() uint32 { return k.n &^ private }
