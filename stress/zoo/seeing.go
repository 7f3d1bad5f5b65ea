package main

// others are, for a structure, the ordinary tests of its package that use it and are not named
// after it.
var others = map[string]string{
	"Stack":        "|^TestArena",
	"Deque":        "|_Steal|^(Test|Fuzz|Example)PointerDeque|^Test(Conformance|Drain|Trap10_NoFalseEmpty)/^PointerDeque|Conservation/./^PointerDeque",
	"ClosableList": "|_CloseAndAdd",
}

// measuring are ordinary tests that look at the machine for a while, and at no order of steps.
const measuring = "^TestSleepersDoNotWake$|_SleepingWorkerKeepsNoP$|^TestWakeNAllocations$"

// many is the package that has a test of its own for each of many structures. In the others all
// tests are about the structures that have specimens.
const many = "./lockfree"

// seeing returns a pattern for the ordinary tests that can see a bug in a structure: those
// named after it, its part of those that several share, and others.
func seeing(pkg, structure string) string {
	if pkg != many {
		return "."
	}
	return `^(Test(Trap\d+_)?|Fuzz|Example)` + structure +
		"|^Test(Conformance|Drain|Trap10_NoFalseEmpty)/^" + structure +
		"|Conservation/./^" + structure + others[structure]
}
