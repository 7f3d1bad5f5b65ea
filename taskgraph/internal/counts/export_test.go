package counts

// End is what whoever brings the count to zero does after that.
func (c *IdleCount) End(trigger func(uint64)) { c.end(trigger) }
