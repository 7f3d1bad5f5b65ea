package entry

import "github.com/heddle-go/heddle/graphevent"

// An Entry names something that the holder of a slot can run, by its kind in the upper four bits
// and its index within that kind below. The zero Entry is the task of node 0.
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
	Acquirer              // goroutines that wait for a unit of a semaphore; only in gates
)

// indexBits is how many bits of an Entry are its index.
const indexBits = 28

// Every index is below Limit.
const Limit = 1 << indexBits

// Of returns the entry of the given kind and index, which is below Limit.
func Of(k Kind, index uint32) Entry { return Entry(k)<<indexBits | Entry(index) }

// OfTask returns the entry of the task of n.
func OfTask(n graphevent.Node) Entry { return Of(Task, uint32(n)) }

// Node returns the node of a task's entry.
func (e Entry) Node() graphevent.Node { return graphevent.Node(e.Index()) }

// Kind returns the kind of e.
func (e Entry) Kind() Kind { return Kind(e >> indexBits) }

// Index returns the index of e.
func (e Entry) Index() uint32 { return uint32(e) % Limit }

// IsCalls reports whether entries of kind k hold calls of a group.
func (k Kind) IsCalls() bool { return k == Bundle || k == Parcel }
