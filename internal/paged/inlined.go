package paged

import "github.com/heddle-go/heddle/internal/atomics"

// inlined makes atomic operations inlinable in importers, as in package atomics.
func inlined(p *atomics.Pointer[int]) *int { return p.Load() }

var _ = inlined
