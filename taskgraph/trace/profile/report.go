package profile

import (
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A Report is what Of has found. Nothing of it changes any more, and all its methods may be called
// by any goroutines at the same time.
type Report struct {
	Run      trace.ID      // the run that it is about, or 0
	From, To time.Duration // the window, since Snapshot.Began
	Active   time.Duration // how long something had been launched that was not complete
	Phases   int           // how often all was complete before something more was launched, plus 1
	Workers  int           // how many lanes are those of workers

	Work    time.Duration // how long all bodies took, without what they waited for
	Span    time.Duration // how long the critical path is
	Blocked time.Duration // how long bodies were in Context.Blocking
	Stalled time.Duration // how long, of the active time, no body ran at all

	Path  []Step    // the critical path
	Names []NameUse // tasks by name, those that took longest first
	Tasks []TaskUse // every task that is known, in the order in which they are first named
	Lanes []LaneUse // in the order of the snapshot
	Idle  Idle      // of all lanes of workers together

	Queued  []Delay // from ready to begin, by priority
	Waited  Delay   // from launch to ready
	Costs   Costs   // what a start costs
	Missing Missing // what the snapshot does not have

	dag    *dag
	pinned []int32 // of each task the lane of the thread that it is for, or none
	levels []uint8 // of each task, how many priorities are higher
	index  map[trace.ID]int32
}

// Parallelism returns work by span: how many workers could be kept busy at best, on the average.
// It is 0 if there is no span.
func (r *Report) Parallelism() float64 { return ratio(r.Work, r.Span) }

// Utilization returns the share of the active time of all workers in which there was work in
// progress.
func (r *Report) Utilization() float64 {
	return ratio(r.Work, time.Duration(r.Workers)*r.Active)
}

// Task returns what is known of a task.
func (r *Report) Task(id trace.ID) (TaskUse, bool) {
	i, ok := r.index[id]
	if !ok {
		return TaskUse{}, false
	}
	return r.Tasks[i], true
}

// A Step is a part of the critical path: the time in which one task is on it.
type Step struct {
	Task  trace.ID      // whose
	Name  string        // of the task
	Graph string        // that it is of, or ""
	Begin time.Duration // when that part of it began, since Snapshot.Began
	Time  time.Duration // how long it took
	Share float64       // of the span
}

// A TaskUse says what is known of one task. Moments are since Snapshot.Began, or Unknown.
type TaskUse struct {
	ID       trace.ID // in the snapshot
	Name     string   // of the task, or of the function of its body
	Graph    string   // that it is of, or ""
	Priority string   // as in the snapshot

	Launched time.Duration // when it was launched
	Ready    time.Duration // when all that it waits for was complete
	Began    time.Duration // when its first body began
	Ended    time.Duration // when its last body ended
	Done     time.Duration // when it completed

	Lane   int           // of the snapshot, on which it began; -1 if no body did
	Bodies int           // how many began, one a round
	Time   time.Duration // that they and their ranges took, without what they waited for
	Failed bool          // it was skipped or cancelled, or a body of it failed

	// Slack is how much longer the task may take with the span as it is. A task without slack is
	// Critical.
	Slack    time.Duration
	Critical bool
}

// A NameUse says what the tasks of one name and graph took together.
type NameUse struct {
	Name  string // of the tasks
	Graph string // that they are of, or ""

	Count  int           // of bodies
	P50    time.Duration // half of them took no longer
	P99    time.Duration // 99 of 100 took no longer
	Max    time.Duration // the longest
	Total  time.Duration // of all
	Share  float64       // of the work
	OnPath time.Duration // on the critical path
	Slack  time.Duration // the least of its tasks

	// Gain is by how much the span is shorter if these tasks take no time: the most that can be
	// won on any number of workers. It is Unknown for the less important names of a path with more
	// than 32.
	Gain time.Duration
}

// A Delay is how long tasks took from one moment to another one.
type Delay struct {
	Priority string        // of the tasks, as in the snapshot
	Count    int           // how many tasks or rounds
	P50      time.Duration // half of them took no longer
	P99      time.Duration // 99 of 100 took no longer
	Max      time.Duration // the longest
}

// Costs are what a start cost, as far as the snapshot shows: medians, or 0 if there were none.
type Costs struct {
	Switch time.Duration // from the end of a body to the next begin on a lane that stayed busy
	Start  time.Duration // from ready to begin on a lane that had nothing to do
}

// Missing says what the report could not know.
type Missing struct {
	Lost    uint64 // records that were overwritten
	Cut     int    // beginnings and ends of bodies outside of the window
	Circles int    // edges left out because the records contradict each other
}

func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
