package main

// workloads are all there are. The weights make the time that each gets about fit how much can
// go wrong in it.
var workloads = []workload{
	{"queue", countsCalls, 3, runQueue},
	{"indexqueue", countsCalls, 3, runIndexQueue},
	{"ring", countsCalls, 3, runRing},
	{"spscqueue", countsCalls, 2, runSPSCQueue},
	{"spscring", countsCalls, 2, runSPSCRing},
	{"priorityqueue", countsCalls, 3, runPriorityQueue},
	{"stallingqueue", countsStalling, 4, runStallingQueue},
	{"deque", countsDeque, 4, runDeque},
	{"pointerdeque", countsDeque, 2, runPointerDeque},
	{"stack", countsStack, 3, runStack},
	{"closablelist", countsClosable, 2, runClosableList},
	{"windows", countsWindows, 3, runWindows},
	{"signal", countsSignal, 2, runSignal},
	{"group", countsGroup, 4, runGroup},
	{"threads", countsThreads, 3, runThreads},
	{"events", countsEvents, 6, runEvents},
	{"mix", countsMix, 14, runMix},
	{"mixshutdown", countsMix, 7, runMixShutdown},
	{"graph", countsGraph, 8, runGraph},
	{"again", countsAgain, 4, runAgain},
	{"fork", countsFork, 4, runFork},
	{"spawn", countsSpawn, 6, runSpawn},
	{"loop", countsLoop, 3, runLoop},
	{"launch", countsLaunch, 4, runLaunch},
}
