package main

import "errors"

// A workload is one thing to do, and the ways to do it. Its rows take turns.
type workload struct {
	name   string
	title  string
	unit   string // of the figures, always a time
	n      int    // its size
	single bool   // a sample is one measurement, and the figure of a turn their median
	fixed  int    // workers, where -workers does not matter; else 0
	rows   []row
	family string // what -only knows it by
	wanted want   // what must be asked for until it runs
	fewer  bool   // it has three fifths of the turns
}

// hasSteps says that its passes are steps, which plain Go is compared by.
func (w *workload) hasSteps() bool { return w.family == stepFamily || w.family == frameFamily }

// A want is how much is asked for.
type want int

const (
	wantQuick want = iota // any run has it
	wantUsual             // not with -quick
	wantOnly              // with -only and its family
	wantNamed             // if -workload stands for its name
)

// A row is one way: a runtime.
type row struct {
	runtime string
	lang    string // "go" or "c++"

	// free says that the runtime has no workers to count: it gets so many processors of the
	// Go scheduler instead.
	free bool

	// turn opens the runtime, warms it up, measures, checks what came out, and closes it. It
	// fails with an absent error where the runtime cannot run here.
	turn func(s *session, workers int) (reading, error)
}

// A reading is what a turn has measured.
type reading struct {
	samples  []float64 // in the unit of the workload
	allocs   *float64  // for each unit; nil if nobody counts them
	switches *float64  // context switches of the process, likewise
	use      use       // of steps
}

// Names of runtimes that more than one workload has.
const (
	heddle           = "heddle"
	heddleTasks      = "heddle-tasks"
	heddleInsideTask = "heddle-inside"
	langGo           = "go"
	langCPP          = "c++"
)

// goRow is a row of a runtime with workers.
func goRow(runtime string, turn func(s *session, workers int) (reading, error)) row {
	return row{runtime: runtime, lang: langGo, turn: turn}
}

// freeRow is a row of a runtime without.
func freeRow(runtime string, turn func(s *session, workers int) (reading, error)) row {
	return row{runtime: runtime, lang: langGo, free: true, turn: turn}
}

// An absent error says why a row cannot run here.
type absent string

func (a absent) Error() string { return string(a) }

func isAbsent(err error) bool {
	var a absent
	return errors.As(err, &a)
}

// workloads are all of them, in the order in which they run.
func workloads(z sizes) []*workload {
	var all []*workload
	for _, family := range []func(sizes) []*workload{
		spawnWorkloads, fibWorkloads, graphWorkloads, parforWorkloads, loopWorkloads, wakeWorkloads,
		startWorkloads,
		ringWorkloads, queueWorkloads, dequeWorkloads, metgWorkloads, threadWorkloads,
		frameWorkloads,
		divideWorkloads, stepWorkloads, programWorkloads, replayWorkloads, besideWorkloads,
	} {
		all = append(all, family(z)...)
	}
	return all
}
