package ark

import (
	"fmt"
	"time"
)

// Verify says how a [Schedule] checks that systems touch only what they have declared.
type Verify uint8

const (
	// VerifyOff leaves it at what the handles check: that a handle is used by the system that
	// declared it.
	VerifyOff Verify = iota

	// VerifyWrites runs the systems one after the other and compares checksums of all columns from
	// before and after each of them. A system that has changed a component without having
	// declared the write fails with an [AccessError]. A write that leaves the same bytes is not
	// seen.
	VerifyWrites

	// VerifyReads does the same, and runs each system a second time from the same state, with all
	// components that it has not declared filled with other values. A system that then leaves other
	// values or records other commands, or panics, has read what it did not declare, and fails with
	// an AccessError. It is for systems whose result depends on nothing but components: one
	// that draws random numbers or counts its calls is found without guilt.
	VerifyReads
)

// Options configures a [Schedule]. The zero value is usable.
type Options struct {
	// Chunk is how many rows of a table a [Chunk] has, the last one of a table perhaps fewer.
	// Default 1024. It decides the order of commands, so it must be the same wherever the same
	// world is to come out; what follows a frame does not depend on it otherwise.
	Chunk int

	// Serial runs everything on the goroutine that calls [Schedule.RunFrame], in the order of
	// registration: the order that the parallel one is equal to.
	Serial bool

	// InPlace is below which time the systems of a frame may be run in place, one after the other
	// on the goroutine that calls [Schedule.RunFrame] and without tasks. Where they take less as a
	// graph, a few frames in a hundred are measured in either way, and the others run in the one
	// that was faster. Default 100 µs; negative: never, for systems that wait for one another, or
	// if the order of a deterministic taskgraph.System is to come again.
	InPlace time.Duration

	// Verify is for tests: it takes several times as long, and more memory. Default VerifyOff.
	Verify Verify
}

func (o *Options) validate() {
	if o.Chunk < 0 {
		panic(fmt.Sprintf("ark: Options.Chunk is %d", o.Chunk))
	}
	if o.Chunk == 0 {
		o.Chunk = 1024
	}
	if o.InPlace == 0 {
		o.InPlace = 100 * time.Microsecond
	}
	if o.Verify > VerifyReads {
		panic(fmt.Sprintf("ark: Options.Verify is %d", o.Verify))
	}
}
