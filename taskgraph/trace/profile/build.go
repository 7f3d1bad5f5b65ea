package profile

import (
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/nest"
)

// Unknown stands for a time that the snapshot does not have.
const Unknown time.Duration = -1

// A builder makes the nodes and edges of a snapshot: rules R1 to R10 of the README.
type builder struct {
	s        *trace.Snapshot
	run      trace.ID // of which the report is, or 0 for all
	from, to time.Duration
	share    *share

	index map[trace.ID]int32
	tasks []task
	names map[nameKey]int32
	nodes []node
	edges []edge

	bodies  []body
	scopes  []scope
	helpers []helper
	readies []moment
	holds   []moment
	outside []outsideOp
	lanes   []laneTime
	stays   []stay
	cuts    int
	phases  int
	active  time.Duration
}

type nameKey struct{ name, graph string }

// A task has two nodes: its start at 2i, when it has been launched and all that it waits for is
// complete, and its completion at 2i+1.
type task struct {
	id       trace.ID
	info     trace.Task
	name     int32
	wanted   bool // it is of the run that is asked for
	hasBody  bool
	launched time.Duration
	ready    time.Duration
	done     time.Duration
	failed   bool
	root     bool    // launched, but by no body
	held     bool    // it completed later than its body ended
	bodies   []int32 // by time
}

func start(t int32) int32    { return 2 * t }
func complete(t int32) int32 { return 2*t + 1 }

// A body is one round of a task.
type body struct {
	task        int32
	lane        int32
	begin, end  time.Duration
	first, last int32 // strands
	time        time.Duration
	outermost   bool          // nothing was around it, on a lane that runs one at a time
	fresh       time.Duration // when the last outermost one on its lane had ended, or Unknown
	parked      bool          // the lane had slept since
	ready       time.Duration // of a round but the first, when it became ready, or Unknown
	main        []mainStrand
	loops       []loopStart
}

// A mainStrand is one that is no range, and no part of a loop.
type mainStrand struct {
	at   time.Duration
	node int32
}

type loopStart struct {
	at   time.Duration
	fork int32
}

// A scope is a body or a range: what it has launched and waited for, in order.
type scope []scopeOp

type scopeOp struct {
	at    time.Duration
	child int32 // launched, or none
	node  int32 // that goes on after a wait
	other int32 // what was waited for, or none for what had been launched
}

// A helper is a range that ran outside of the body of its loop.
type helper struct {
	task        int32
	begin, end  time.Duration
	first, last int32
	time        time.Duration
}

// A moment is something that is attached to the next body of a task that begins.
type moment struct {
	at          time.Duration
	task, other int32
}

// An outsideOp is what code that is no body has launched, or waited for.
type outsideOp struct {
	at   time.Duration
	lane int32
	task int32
	wait bool
}

func newBuilder(s *trace.Snapshot, o Options) *builder {
	b := &builder{s: s, run: o.Run, index: map[trace.ID]int32{}, names: map[nameKey]int32{}}
	b.from, b.to = nest.Window(s)
	b.find()
	b.share = shared(s, b.from, b.to, o.Processors)
	b.nodes = make([]node, 2*len(b.tasks), 5*len(b.tasks)+16)
	for i := range b.nodes {
		b.nodes[i] = node{task: int32(i / 2), lane: none}
	}
	b.lanes = make([]laneTime, len(s.Lanes))
	for i := range s.Lanes {
		w := &laneWalker{b: b, lane: int32(i), kind: s.Lanes[i].Kind, last: b.from,
			freed: Unknown}
		nest.Walk(&s.Lanes[i], b.from, b.to, w.op)
		w.account(b.to)
	}
	return b
}

// find gives every task a number, in the order in which lanes name them, and notes when what
// happened to it.
func (b *builder) find() {
	for i := range b.s.Lanes {
		for _, e := range b.s.Lanes[i].Events {
			if e.Task != 0 {
				b.findEvent(e)
			}
			if e.Other != 0 && e.Kind != trace.Mark {
				b.add(e.Other)
			}
		}
	}
	for i := 0; i < len(b.tasks); i++ {
		t := &b.tasks[i]
		for _, a := range t.info.After {
			if _, known := b.s.Tasks[a]; known {
				b.add(a)
			}
		}
	}
	if b.run != 0 {
		b.want()
	}
}

func (b *builder) findEvent(e trace.Event) {
	t := &b.tasks[b.add(e.Task)]
	switch e.Kind {
	case trace.Begin, trace.End, trace.Range, trace.RangeEnd:
		t.hasBody = true
	case trace.Launch:
		t.launched = e.At
	case trace.Ready:
		if t.ready == Unknown {
			t.ready = e.At
		}
	case trace.Done:
		t.done, t.failed = e.At, e.Arg == 1
	}
}

// add returns the number of a task.
func (b *builder) add(id trace.ID) int32 {
	if i, ok := b.index[id]; ok {
		return i
	}
	i := int32(len(b.tasks))
	b.index[id] = i
	info := b.s.Tasks[id]
	key := nameKey{info.Name, info.Graph}
	name, ok := b.names[key]
	if !ok {
		name = int32(len(b.names))
		b.names[key] = name
	}
	b.tasks = append(b.tasks, task{id: id, info: info, name: name, wanted: b.run == 0,
		launched: Unknown, ready: Unknown, done: Unknown})
	return i
}

// of returns the number of a task if it is one that the report is about, or none.
func (b *builder) of(id trace.ID) int32 {
	if i, ok := b.index[id]; ok && id != 0 && b.tasks[i].wanted {
		return i
	}
	return none
}

// want marks the tasks of a run and all that their bodies launch, and narrows the window to it.
func (b *builder) want() {
	const unseen, seen = 0, 1
	state := make([]uint8, len(b.tasks))
	var chain []int32
	for i := range b.tasks {
		chain = chain[:0]
		at, wanted := int32(i), false
		for {
			t := &b.tasks[at]
			if state[at] == seen {
				wanted = t.wanted
				break
			}
			state[at] = seen
			chain = append(chain, at)
			if t.id == b.run || t.info.Run == b.run {
				wanted = true
				break
			}
			parent, ok := b.index[t.info.Parent]
			if !ok {
				break
			}
			at = parent
		}
		for _, c := range chain {
			b.tasks[c].wanted = wanted
		}
	}
	b.narrow()
}

// narrow sets the window to the time of what is wanted.
func (b *builder) narrow() {
	from, to := b.to, b.from
	see := func(at time.Duration) {
		if at != Unknown {
			from, to = min(from, at), max(to, at)
		}
	}
	for i := range b.tasks {
		if t := &b.tasks[i]; t.wanted {
			see(t.launched)
			see(t.done)
		}
	}
	for i := range b.s.Lanes {
		for _, e := range b.s.Lanes[i].Events {
			if nest.Opens(e.Kind) || nest.Closes(e.Kind) {
				if b.of(e.Task) != none {
					see(e.At)
				}
			}
		}
	}
	if from <= to {
		b.from, b.to = max(from, b.from), min(to, b.to)
	}
}

func (b *builder) edge(from, to int32) {
	if from >= 0 && to >= 0 && from != to {
		b.edges = append(b.edges, edge{from, to})
	}
}

func (b *builder) strand(task, lane int32, at time.Duration) int32 {
	b.nodes = append(b.nodes, node{task: task, lane: lane, strand: true, at: at})
	return int32(len(b.nodes) - 1)
}
