package changes

// Deaf stops the events of the root, as if all were dropped from now on.
func (w *Watcher) Deaf() error { return w.events.Remove(w.disk.(system).root) }

// Overflow is what is done when events were dropped.
func (w *Watcher) Overflow() error { return w.everything() }
