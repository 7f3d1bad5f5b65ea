package ark

import "math"

// Together returns how many tables of the schedule's world have been moved as a whole.
func Together(s *Schedule) int { return s.view.together }

// RunInPlace has all further frames of the schedule run in place.
func RunInPlace(s *Schedule) { runAll(s, true) }

// RunAsGraph has them run as a graph.
func RunAsGraph(s *Schedule) { runAll(s, false) }

func runAll(s *Schedule, inPlace bool) {
	s.pace = pace{limit: math.MaxInt64, inPlace: inPlace, left: math.MaxInt}
	clear(s.plans)
	s.plan = nil
}
