package assets

// Quiet reports whether a manager has nothing to do, if nobody asks it for anything.
func (m *Manager) Quiet() bool {
	c := &m.counts
	return m.turn.Idle() && c.started.Load() == c.ready.Load()+c.failed.Load()+c.abandoned.Load() &&
		m.turn.Idle()
}

// Idle reports whether the bookkeeping of a manager is done.
func (m *Manager) Idle() bool { return m.turn.Idle() }

// Waiting returns how many flights wait in a lane, those that are there several times so often.
func (p *Pipeline) Waiting(name Lane) (n int) {
	l := p.lane(name)
	for r := range l.queue.queues {
		n += l.queue.queues[r].Len()
	}
	return n
}
