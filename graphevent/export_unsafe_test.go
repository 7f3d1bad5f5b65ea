package graphevent

import (
	"unsafe"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// headWord returns the word that a head is, so that a test can stop a push half way.
func headWord(h *lockfree.ClosableHead) *atomics.Uint64 {
	return (*atomics.Uint64)(unsafe.Pointer(h))
}
