package farm

// LoseAcks makes workers of f lose the acknowledgements for which lose returns true.
func (f *Farm) LoseAcks(lose func() bool) { f.hooks.dropAck = lose }

// Mute makes workers of f not say that a job goes on, as if they were stopped.
func (f *Farm) Mute() { f.hooks.mute = func() bool { return true } }
