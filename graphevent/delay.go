package graphevent

// Delay adds a reason not to complete to n, whose body runs and calls it: one more call of EndBody
// completes it.
func (s *Store) Delay(n Node) { s.at(n).ctl.Add(1) }
