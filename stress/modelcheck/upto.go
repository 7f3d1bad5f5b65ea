package modelcheck

import "testing"

// CheckAll is Check of one execution of each class of a program, which must be few enough for that.
func CheckAll(t testing.TB, program func(m *Model)) {
	t.Helper()
	tally := Check(t, Options{Explorers: []Explorer{DepthFirst(1, 0), DPOR(0)}}, program)
	if tally.Complete != 1 {
		t.Fatal("some executions were left out")
	}
}

// CheckUpTo is Check of all executions of a program with at most so many preemptions, and of others
// at random. If slow, because each takes several times as long, it is one preemption at most.
func CheckUpTo(t testing.TB, bound int, slow bool, program func(m *Model)) {
	t.Helper()
	if slow {
		bound = min(bound, 1)
	}
	tally := Check(t, Options{Explorers: append(DepthFirstUpTo(bound, 0),
		Beyond(Scaled(60_000)/16)...)}, program)
	if tally.Bound < bound {
		t.Fatal("some executions were left out")
	}
}
