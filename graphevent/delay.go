package graphevent

// Delay adds a reason not to complete to n, whose body runs and calls it: one more call of EndBody
// completes it. It panics where [Store.HoldOpen] does.
func (s *Store) Delay(n Node) { s.countHold(s.at(n)) }
