package forks

import "github.com/heddle-go/heddle/taskgraph/internal/joins"

// A Call is a forked call. Its memory is recycled, but only as Calls. It moves from slot to slot,
// so it fills a cache line by itself if an A has 32 bytes.
type Call[C, A any] struct {
	Args A
	F    func(*C, *A) // nil once it has begun in the body that made it
	In   *C           // context of that body; nil if the call failed elsewhere, see Pool.Fail
	Next *Call[C, A]  // the call that the body made before
	n    uint32       // its number, with private while it is in a Stack
	Join joins.Join
}

const private = 1 << 31

// IsPrivate reports whether k is in a Stack, or runs and has never been published.
func (k *Call[C, A]) IsPrivate() bool { return k.n >= private }

// Number returns the number by which Pool.At finds k.
func (k *Call[C, A]) Number() uint32 { return k.n &^ private }
