package park

// Waiting reports whether the owner waits, or is about to.
func (p *Parker) Waiting() bool {
	w := p.word.Load()
	return w == inKernel || w == onCond
}

// OnCond reports whether the owner waits on the Cond, or is about to.
func (p *Parker) OnCond() bool { return p.word.Load() == onCond }

// HasWordWait reports whether TwoPhase differs from Go here.
const HasWordWait = hasWordWait

// Steered reports whether a waker has ever bound the owner's thread to a processor.
func (p *Parker) Steered() bool { return p.berth.mask != 0 }
