package taskgraph

import "github.com/heddle-go/heddle/internal/atomics"

// A LoopSite remembers what an element of a loop costs, in place of the system, which remembers that by the code of
// the body. It is for a body that serves several purposes, such as one that a helper function of yours calls
// with whatever it is given: keep a LoopSite for each purpose, and name it in [Loop].Site. What the
// loops of one purpose cost tells then nothing about those of another.
//
// The zero value knows nothing yet. Any number of loops, of any systems, may use one at the same time; it must
// not be copied after first use.
type LoopSite struct {
	cost atomics.Uint64 // an entry like those of costs, with the tag 0
}
