package sleepevent

import "github.com/heddle-go/heddle/internal/park"

// Park selects how a sleeper waits.
type Park uint8

const (
	// ParkOS waits the way that the platform wakes fastest from without keeping the waiting
	// goroutine's P from others: on Linux in the kernel.
	ParkOS Park = iota

	// ParkGo waits on a sync.Cond and never spins. A program under testing/synctest needs
	// it: a thread waiting in the kernel, or one spinning, keeps a bubble's clock from
	// advancing, and a bubble cannot be detected.
	ParkGo
)

// modes are the modes of the parker, by Park. Benchmarks and tests add the fallback of ParkOS for
// runtimes that cannot be asked to take the P of a waiting thread.
var modes = []park.Mode{ParkOS: park.OS, ParkGo: park.Go}

// String returns the constant's name.
func (p Park) String() string {
	switch p {
	case ParkOS:
		return "ParkOS"
	case ParkGo:
		return "ParkGo"
	}
	return "Park(?)"
}
