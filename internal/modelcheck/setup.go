package modelcheck

// SetUp runs f as a thread, and what it starts, until none of them can move by itself: in one
// order, without a choice, and unseen by the explorer. What waits then is a thread of the model
// like others, but need not end, nor what it starts. Only the body of the model may call it, before
// Thread, and f must return.
func (e *Engine) SetUp(f func()) {
	first, tracing := e.n, e.tracing
	e.settingUp, e.tracing = true, false
	e.launch(nil, f)
	if e.stuck == "" {
		if next := e.dispatch(nil); next != nil {
			e.hand(next)
			e.back()
		}
	}
	e.settingUp, e.tracing = false, tracing
	if e.stuck != "" {
		return
	}
	e.join(first)
	e.unspin()
	e.rounds = 0
	if e.live&e.threads[first].bit != 0 {
		e.fail(KindDeadlock, "the set-up does not come to its end\n"+e.who())
	}
}

// settled decides which thread of the set-up moves next: the one that moved last, else the first
// that can. nil stands for the root: none can.
//
//go:norace
func (e *Engine) settled(cur *thread, enabled set) *thread {
	if enabled == 0 {
		if e.rounds++; e.ready == 0 || e.rounds > e.cfg.Rounds {
			return nil
		}
		e.unspin()
		enabled = e.ready
	}
	if cur != nil && enabled&cur.bit != 0 {
		return cur
	}
	return e.threads[lowest(enabled)]
}

// join waits for the goroutines of the threads from first on that have ended.
func (e *Engine) join(first int) {
	for _, t := range e.threads[first:e.n] {
		if (e.live|e.joined)&t.bit == 0 {
			<-t.fin
			e.joined |= t.bit
		}
	}
}
