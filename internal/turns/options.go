package turns

// Options says how a [Scheduler] chooses.
type Options struct {
	Seed     uint64
	Schedule []byte       // the first choices; nil: the seed decides all
	Trace    func(string) // gets a line for each step, or nil

	// OnStuck is called when nothing can go on and no timer is left. Its result is what
	// [Scheduler.TakeStuck] then tells the first actor.
	OnStuck func() error
}
