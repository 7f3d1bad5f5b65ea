package assets

import "time"

// PipelineOptions configure a Pipeline. The zero value is usable, and has an empty Plan.
type PipelineOptions struct {
	// Plan is the first plan, which Pipeline.Plan returns to be edited.
	Plan []Pipe

	// Limits is how many pipes of a lane run at a time, where that is not the default of the Lane.
	// A lane of one's own that is not in it has a limit of 1.
	Limits map[Lane]int

	// Budget is how many bytes may be in flight: see Pipe.Bytes. Default 256 MiB.
	Budget int64

	// Retries is how often a pipe is run again that fails with Retry; default 3, negative: never.
	// Between two attempts it waits for Backoff, then for twice that each time, up to MaxBackoff;
	// the defaults are 100 ms and 10 s.
	Retries             int
	Backoff, MaxBackoff time.Duration

	// Timeout ends the context of a pipe that runs for longer. Default: never.
	Timeout time.Duration

	// Observe, if not nil, is called after each run of a pipe, by any goroutine. It must be quick.
	Observe func(Step)
}

// A Step is one run of a pipe.
type Step struct {
	ID      ID
	Type    string // as known then
	Pipe    string
	Lane    Lane
	Attempt int           // from 1 on
	Waited  time.Duration // for its turn in the lane and for the budget
	Ran     time.Duration
	Bytes   int64 // in the budget for the item
	Err     error
}
