package ark

// Together returns how many tables of the schedule's world have been moved as a whole.
func Together(s *Schedule) int { return s.view.together }
