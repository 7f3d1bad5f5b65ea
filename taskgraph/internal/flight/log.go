package flight

import (
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/lockfree"
)

// A Log is all that is recorded of one system.
type Log struct {
	on    atomics.Bool
	level func(uint8) string // what a priority is called; set by Use
	used  atomics.Bool       // by a system
	clock clock
	slots int    // of each lane
	thick uint64 // in ticks: stamps that are nearer to each other are shared; 0: none
	exact bool

	_     cacheline.Pad
	lanes atomics.Pointer[Lane]
	count atomics.Uint64
	free  [4]lockfree.Stack[*Lane] // by kind

	labels    [labels]atomics.Pointer[label]
	nextLabel atomics.Uint64
	marks     atomics.Pointer[[]string]
	graphs    [graphs]atomics.Pointer[Graph]
	nextGraph atomics.Uint64
	nextRun   atomics.Uint32
}

const (
	labels = 1 << 12 // names of tasks that are kept
	graphs = 1 << 8  // graphs whose tasks are kept

	maxLanes = 1 << 12
	maxMarks = 1 << 12
	outside  = 3
)

// A label is a name that a task was given.
type label struct {
	number uint64
	text   string
}

// A Graph is what is known of the tasks of a graph. It is immutable.
type Graph struct {
	Number uint64
	Names  []Name     // by task
	Texts  []string   // by task: names that it was given, or ""; or nil
	Prio   []uint8    // by task, 0xff: that of the run; or nil
	After  [][]uint32 // by task
}

// New returns a log whose lanes have so many slots. With exact, each record has a stamp of its own.
func New(slots int, exact bool) *Log {
	g := &Log{slots: slots, exact: exact}
	g.clock.start()
	if !exact {
		g.thick = uint64(closeStamps)
		if g.clock.counter {
			g.thick = uint64(closeStamps) * tickRate(&g.clock)
		}
	}
	g.on.Store(true)
	return g
}

// closeStamps is how near stamps must be to be shared from then on.
const closeStamps = 2 * time.Microsecond

// tickRate returns about how many ticks a nanosecond has, at least 1.
func tickRate(c *clock) uint64 {
	began := atomics.Now()
	for atomics.Now()-began < int64(20*time.Microsecond) {
		atomics.Pause(1)
	}
	return max(1, uint64(1/c.scale()+0.5))
}

// Use is called by the system that records, once. It reports false if there was one before.
func (g *Log) Use(steps bool, level func(uint8) string) bool {
	if !g.used.CompareAndSwap(false, true) {
		return false
	}
	g.level = level
	if steps {
		g.clock.counter, g.clock.steps, g.thick = false, true, 0
	}
	return true
}

// Switch turns recording on and off, while the system runs.
func (g *Log) Switch(on bool) { g.on.Store(on) }

// On reports whether it is on.
func (g *Log) On() bool { return g.on.Load() }

// Take returns a lane of a kind for a goroutine, until Leave; or nil if there are too many.
func (g *Log) Take(kind uint8, name func(n uint64) string) *Lane {
	l, ok := g.free[kind].Pop()
	if !ok {
		n := g.count.Add(1)
		if n > maxLanes {
			return nil
		}
		l = newLane(g, n)
		l.kind = kind
		l.rename(name)
		for {
			l.next = g.lanes.Load()
			if g.lanes.CompareAndSwap(l.next, l) {
				return l
			}
		}
	}
	l.rename(name)
	return l
}

func (l *Lane) rename(name func(n uint64) string) {
	if name != nil {
		text := name(l.index)
		l.name.Store(&text)
	}
}

// Leave gives a lane back, of which the goroutine has no more use.
func (g *Log) Leave(l *Lane) { g.free[l.kind].Push(l) }

// Outside lends a lane for one record of a goroutine that has none; or returns nil.
func (g *Log) Outside() *Lane {
	if !g.on.Load() {
		return nil
	}
	l := g.Take(outside, nil)
	if l != nil {
		l.Rest()
	}
	return l
}

// Mark returns the number of a user's label, for good.
func (g *Log) Mark(text string) (n uint64, ok bool) {
	for {
		old := g.marks.Load()
		var texts []string
		if old != nil {
			texts = *old
		}
		if len(texts) == maxMarks {
			return 0, false
		}
		texts = append(texts[:len(texts):len(texts)], text)
		if g.marks.CompareAndSwap(old, &texts) {
			return uint64(len(texts)), true
		}
	}
}

// MarkText returns the label of a number.
func (g *Log) MarkText(n uint64) string {
	if texts := g.marks.Load(); texts != nil && n > 0 && n <= uint64(len(*texts)) {
		return (*texts)[n-1]
	}
	return ""
}

// Label returns the name for a text. Only the last texts are kept.
func (g *Log) Label(text string) Name {
	n := g.nextLabel.Add(1)
	g.labels[n%labels].Store(&label{n, text})
	return labelName | Name(n)
}

// Keep returns n, which Label or Keep has returned for the text, or 0. If that is to be forgotten
// soon, it returns a new name. Of a name that is used again and again that is rare.
func (g *Log) Keep(n Name, text string) Name {
	if n == 0 || g.nextLabel.Load()-uint64(n&^labelName) > labels/8*7 {
		return g.Label(text)
	}
	return n
}

// AddGraph notes a graph, of which it may keep only the last.
func (g *Log) AddGraph(d *Graph) {
	d.Number = g.nextGraph.Add(1)
	g.graphs[d.Number%graphs].Store(d)
}

// NewRun returns a number for a run of a graph.
func (g *Log) NewRun() uint32 { return g.nextRun.Add(1) }
