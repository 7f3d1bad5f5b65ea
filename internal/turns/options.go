package turns

// Options says how a [Scheduler] chooses.
type Options struct {
	Seed     uint64
	Schedule []byte       // the first choices; nil: the seed makes all choices
	Trace    func(string) // gets a line for each step, or nil

	// OnStuck is called when nothing can proceed and no timer is left. [Scheduler.TakeStuck] then
	// gives its result to the first actor.
	OnStuck func() error
}
