package trace

import "time"

// A Snapshot is what a recorder held at one moment. Nobody writes to it any more.
type Snapshot struct {
	Began time.Time // the time from which all others count

	// From and To bound the time of which every lane has all that happened: the recorder has
	// overwritten what was before, and what came after was still being written.
	From, To time.Duration

	Lanes []Lane      // the workers first, what is outside of all last
	Tasks map[ID]Task // each task that an event of a lane names, as far as it is known
}

// A Lane is what was done by one worker, by one named thread, or by a goroutine from outside.
type Lane struct {
	Name   string   // as reports name it: "worker 0", "thread render"
	Kind   LaneKind // to whom it belongs
	Events []Event  // by time; of a stretch in which another body runs, nested
	Lost   uint64   // what was overwritten, in units of the smallest record
}

// A LaneKind says who a lane belongs to.
type LaneKind uint8

// The kinds of lanes.
const (
	LaneWorker  LaneKind = iota // one of Options.Workers, or a caller that has taken its place
	LaneSpare                   // a worker that stands in for a blocked one
	LaneThread                  // a named thread
	LaneOutside                 // all goroutines that are none of these, together
)

// An ID names a task or an event within a snapshot. 0 is none.
type ID uint64

// A Task is what is known of a task beside its events.
type Task struct {
	Name     string // of the task, or of the function of its body
	Graph    string // the name of the graph that it is of, or ""
	Run      ID     // the run of that graph, or 0; itself if it is the run
	Parent   ID     // the task whose body has launched it, or 0
	Priority string // as String of taskgraph's Priority writes it; "" where it does not matter
	After    []ID   // what it had to wait for, complete or not
}

// An Event is one thing that happened.
type Event struct {
	At    time.Duration // since Snapshot.Began
	Kind  Kind          // what has happened
	Task  ID            // whom it is about; of Park, Wake and Mark outside of bodies 0
	Other ID            // see the kinds
	Arg   uint64        // see the kinds
}

// A Kind says what happened.
type Kind uint8

// What can happen. Begin, Wait and Range are each ended by the event that follows them in this
// list, on the same lane, and nest: a body that waits may run others.
const (
	Begin      Kind = iota + 1 // the body of Task begins; Arg is the round, 0 for the first
	End                        // it ends
	Wait                       // the body of Task waits; for Other, if known; Task: for its loop
	WaitEnd                    // it goes on
	Range                      // a range of a loop of Task begins; Arg is its first index
	RangeEnd                   // it ends; Arg is how many elements were done
	Park                       // the lane has nothing to do and sleeps
	ParkEnd                    // it is awake again
	Blocked                    // the body of Task enters Context.Blocking
	BlockedEnd                 // it leaves it
	Launch                     // Task was launched, by the body of Other if that is not 0
	Ready                      // all that Task waits for is complete; Other was the last of it
	Done                       // the event of Task completes; Arg is 1 if it has failed
	Steal                      // the lane takes Task from lane Arg
	Wake                       // somebody wakes the lane, whose Park ends soon after
	Hold                       // Task, which ran, is to complete only after Other
	Mark                       // the user's own; Arg is theirs, Snapshot.Tasks[Other] has its name
)
