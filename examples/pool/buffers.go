package main

import "github.com/heddle-go/heddle/lockfree"

// Buffers keeps slices for reuse, up to a number of them.
type Buffers struct {
	free *lockfree.Ring[[]byte]
	size int
}

// NewBuffers returns a store that keeps at most keep slices of length size.
func NewBuffers(keep, size int) *Buffers {
	return &Buffers{lockfree.NewRing[[]byte](keep), size}
}

// Get returns a slice with arbitrary contents.
func (b *Buffers) Get() []byte {
	if buf, ok := b.free.TryPop(); ok {
		return buf
	}
	return make([]byte, b.size)
}

// Put gives a slice back. If the store is full, the garbage collector gets it.
func (b *Buffers) Put(buf []byte) { b.free.TryPush(buf) }
