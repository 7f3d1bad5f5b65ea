package entry

import "github.com/heddle-go/heddle/graphevent"

// An Entry names one thing that the holder of a slot can run: its kind in the upper four bits, and
// its index among those of its kind below. The zero Entry is the task of node 0. Nobody else knows
// these bits.
type Entry uint32

// A Kind says what an index counts.
type Kind uint8

const (
	Task      Kind = iota // nodes of the store of events
	GraphTask             // tasks of running graphs, numbered within their runs' stretches
	Bundle                // calls of a group that bodies made
	Parcel                // calls of a group from outside
	Fork                  // forked calls
	Promotion             // tasks that also have an entry of a lower priority
	Helper                // nodes of the store: helpers of loops that are parts of runs of graphs
	Acquirer              // goroutines that wait for a unit of a semaphore; only in gates
)

var kindNames = [...]string{
	Task:      "task",
	GraphTask: "task of a graph",
	Bundle:    "call of a Group",
	Parcel:    "call of a Group",
	Fork:      "forked call",
	Promotion: "promoted task",
	Helper:    "helper of a loop",
	Acquirer:  "goroutine in Acquire",
}

// String names what lies behind an entry of kind k, for reports.
func (k Kind) String() string { return kindNames[k] }

// indexBits is how many bits of an Entry are its index.
const indexBits = 28

// Every index is below Limit.
const Limit = 1 << indexBits

// Of returns the entry of the given kind and index, which is below Limit.
func Of(k Kind, index uint32) Entry { return Entry(k)<<indexBits | Entry(index) }

// OfTask returns the entry of the task of n.
func OfTask(n graphevent.Node) Entry { return Of(Task, uint32(n)) }

// OfHelper returns the entry of the task of n, which is a helper of a loop that is part of a run.
func OfHelper(n graphevent.Node) Entry { return Of(Helper, uint32(n)) }

// Node returns the node of a task's or a helper's entry.
func (e Entry) Node() graphevent.Node { return graphevent.Node(e.Index()) }

// Task is Node for an entry of any kind: it reports whether it is that of a task.
func (e Entry) Task() (n graphevent.Node, ok bool) { return e.Node(), e.Kind() == Task }

// OfToken returns the entry that is the given token.
func OfToken(token uint64) Entry { return Entry(token) }

// Token returns e for queues of others, which hold words of 64 bits.
func (e Entry) Token() uint64 { return uint64(e) }

// Kind returns the kind of e.
func (e Entry) Kind() Kind { return Kind(e >> indexBits) }

// Index returns the index of e.
func (e Entry) Index() uint32 { return uint32(e) % Limit }

// Plus returns the entry of the same kind whose index is greater by i.
func (e Entry) Plus(i uint32) Entry { return e + Entry(i) }

// In returns the i for which e is first.Plus(i), and reports whether it is one that is below n. All
// indices from that of first up to n more are below Limit, so an entry of another kind is far away.
func (e Entry) In(first Entry, n uint32) (i uint32, ok bool) {
	i = uint32(e - first)
	return i, i < n
}

// IsCalls reports whether calls of a group lie behind entries of kind k.
func (k Kind) IsCalls() bool { return k == Bundle || k == Parcel }
