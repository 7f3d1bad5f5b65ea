package main

import "github.com/heddle-go/heddle/lockfree"

// Buffers keeps slices to be used again, up to a number of them.
type Buffers struct {
	free *lockfree.Ring[[]byte]
	size int
}

// NewBuffers returns a store of at most keep slices of a length.
func NewBuffers(keep, size int) *Buffers {
	return &Buffers{lockfree.NewRing[[]byte](keep), size}
}

// Get returns a slice, whatever is in it.
func (b *Buffers) Get() []byte {
	if buf, ok := b.free.TryPop(); ok {
		return buf
	}
	return make([]byte, b.size)
}

// Put gives a slice back. If there are enough, it is left to the collector.
func (b *Buffers) Put(buf []byte) { b.free.TryPush(buf) }
