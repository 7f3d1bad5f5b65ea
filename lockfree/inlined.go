package lockfree

import "github.com/heddle-go/heddle/internal/atomics"

// The compiler inlines a function of another package into generic code only if the package that
// declares the generic code inlines that function into code of its own as well; otherwise every
// atomic operation of a container would be a call in the packages that use it. So this function
// uses each operation once. Nothing calls it.
var _ = inlined

func inlined(a *atomics.Uint32, b *atomics.Uint64) bool {
	a.Store(a.Load())
	b.Store(b.Load() + b.Add(1))
	return a.CompareAndSwap(a.Swap(1), 2) && b.CompareAndSwap(b.Swap(1), 2)
}
