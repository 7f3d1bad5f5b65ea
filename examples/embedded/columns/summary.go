package columns

// A Summary says what the numbers of a column are.
type Summary struct {
	// Count is how many there are, and Sum their sum; Min and Max are 0 if there is none.
	Count         int
	Sum, Min, Max float64
}

// add counts what another summary has counted.
func (s *Summary) add(o Summary) {
	switch {
	case o.Count == 0:
		return
	case s.Count == 0:
		*s = o
		return
	}
	s.Count += o.Count
	s.Sum += o.Sum
	s.Min, s.Max = min(s.Min, o.Min), max(s.Max, o.Max)
}
