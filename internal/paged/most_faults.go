//go:build heddle_faults

package paged

import "github.com/heddle-go/heddle/internal/atomics"

// less is how much room less than Limit there is.
var less atomics.Uint32

// Most returns how many numbers a user of a Table hands out at most: Limit, or what SetMost said.
func Most() uint32 { return Limit - less.Load() }

// SetMost says how many numbers may be handed out, at most Limit. What has been handed out stays
// in use.
func SetMost(n uint32) { less.Store(Limit - n) }
