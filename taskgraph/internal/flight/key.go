package flight

// A Key names what a record is about, within a Log. 0 is nothing.
type Key uint64

// The kinds of keys.
const (
	keyShift = 60
	nodeKey  = 1 // an event of the store: generation and node
	taskKey  = 2 // of a run of a graph: number of the run and of the task
	labelKey = 4 // of a mark
	callKey  = 3 // a forked call or a call of a group: lane and serial number
)

const lowBits = 28 // of the number of a node or of a task

// NodeKey names the event of a node.
func NodeKey(generation uint64, node uint32) Key {
	return nodeKey<<keyShift | Key(uint32(generation))<<lowBits | Key(node)
}

// TaskKey names the task i of a run of a graph.
func TaskKey(run, i uint32) Key {
	return taskKey<<keyShift | Key(run)<<lowBits | Key(i)
}

// Task returns the run and the number of a task of a graph.
func (k Key) Task() (run, i uint32, ok bool) {
	return uint32(k >> lowBits), uint32(k) & (1<<lowBits - 1), k>>keyShift == taskKey
}

// LabelKey names the label of marks with a number.
func LabelKey(n uint64) Key { return labelKey<<keyShift | Key(n) }
