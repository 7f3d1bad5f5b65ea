package trace

import "github.com/heddle-go/heddle/taskgraph/internal/flight"

// Options configures a [Recorder]. The zero value is usable.
type Options struct {
	// Records is how many records are kept of each lane, at least 1,024. Most things that happen
	// to a task are a record. Default 16,384, which take 512 KiB.
	Records int

	// Exact gives each record a time of its own. By default, where records of one lane come faster
	// than one in 2 µs, up to 15 more share the time of one, and a snapshot spreads them evenly:
	// reading the clock takes longer than an empty task. So the first long body after a run of tiny
	// ones may share its length with up to 15 of them.
	Exact bool

	Stopped bool // it records nothing before Start
}

// A Recorder records what a system does, in memory that it overwrites: what happened last is there
// when somebody asks. It is given to taskgraph.Options.Trace, of one system.
//
// Any goroutine may call its methods at any time.
type Recorder struct{ log *flight.Log }

// New returns a recorder that has been started.
func New(o Options) *Recorder {
	if o.Records < 0 {
		panic("trace: Options.Records is negative")
	}
	if o.Records == 0 {
		o.Records = 1 << 14
	}
	r := &Recorder{log: flight.New(2*max(o.Records, 1<<10), o.Exact)}
	r.log.Switch(!o.Stopped)
	return r
}

// Start makes the recorder go on after Stop. What has begun in between is missing, ends included.
func (r *Recorder) Start() { r.log.Switch(true) }

// Stop makes it record nothing more; what it has stays. A goroutine may just be writing one more.
func (r *Recorder) Stop() { r.log.Switch(false) }

// A Label says what a mark is about. Make one with [Recorder.Label].
type Label uint32

// Label returns the label with a text, for marks: see taskgraph.Context.Mark. Make it once; it
// panics at the 4,097th.
func (r *Recorder) Label(text string) Label {
	n, ok := r.log.Mark(text)
	if !ok {
		panic("trace: more than 4,096 labels")
	}
	return Label(n)
}

// Mark records a moment on the lane of all goroutines that run no bodies. A body calls
// taskgraph.Context.Mark.
func (r *Recorder) Mark(m Label, arg uint64) {
	if l := r.log.Outside(); l != nil {
		l.Put2(flight.Mark, 0, uint64(m), arg)
		r.log.Leave(l)
	}
}

// Recording reports whether the recorder goes on: after New or Start, until Stop.
func (r *Recorder) Recording() bool { return r.log.On() }

// Log is for package taskgraph.
func (r *Recorder) Log() *flight.Log { return r.log }
