package stuck

import "time"

// A Report says what is incomplete: see taskgraph.StuckReport.
type Report struct {
	Idle   bool
	Tasks  []Task
	Stuck  int
	More   int
	Cycles [][]string

	Slow bool // it is about bodies that run for too long
}

// A Task is what a report says of a node: see taskgraph.StuckTask.
type Task struct {
	Name, State, Site string

	WaitsFor []string
	Why      string
	Age      time.Duration
	Stack    string

	Links
}

// Links has what a text and a drawing know of a task besides what it shows.
type Links struct {
	out    []int // for each name of WaitsFor its index in Tasks, or -1
	more   int   // further events, not named in WaitsFor
	others int   // how many of the first names of WaitsFor are not events
	any    bool  // one of the events is enough
	stuck  bool
	cyclic bool
	root   bool
}

// Bounds of a report.
const (
	MaxTasks  = 1000
	maxNames  = 16 // that one waits for
	maxCycles = 8
	maxStacks = 16
)
