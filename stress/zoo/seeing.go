package main

// others are, for a structure, the ordinary tests of its package that use it and are not named
// after it.
var others = map[string]string{
	"Stack":         "|^TestArena",
	"Deque":         "|_Steal|^(Test|Fuzz|Example)PointerDeque|^Test(Conformance|Drain|Trap10_NoFalseEmpty)/^PointerDeque|Conservation/./^PointerDeque",
	"ClosableList":  "|_CloseAndAdd",
	"StallingQueue": "|^TestTrap0[12]_|^TestPriorityQueueEmptyIsLinearizable/^StallingQueue",
}

// measuring are ordinary tests that look at the machine for a while, and at no order of steps.
const measuring = "^TestSleepersDoNotWake$|_SleepingWorkerKeepsNoP$|^TestWakeNAllocations$"

// seeing returns a pattern for the ordinary tests that can see a bug in a structure: those
// named after it, its part of those that several share, and others.
func seeing(structure string) string {
	if structure == "Group" {
		return "." // of its package all are about it
	}
	return `^(Test(Trap\d+_)?|Fuzz|Example)` + structure +
		"|^Test(Conformance|Drain|Trap10_NoFalseEmpty)/^" + structure +
		"|Conservation/./^" + structure + others[structure]
}
