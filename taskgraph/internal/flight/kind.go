package flight

// A Kind says what a record is about.
type Kind uint8

// The kinds of records. Only those of two slots have a name, and another key or a number besides.
const (
	// The body of key begins: of a task, whose name it has and the number of its round; of a task
	// of a graph, whose name is known otherwise; of a call, whose name it has and who forked it.
	Begin Kind = iota + 1
	BeginOf
	BeginCall

	Next     // the innermost body ends, and that of key, of the same run of a graph, begins
	NextCall // the innermost call ends, and that of key begins, as with BeginCall

	End       // the body of key ends, and that completes it
	EndOpen   // the body of key ends, and it is held open
	EndFailed // the body of key ends, and it fails

	Launch     // key is launched, by the other; it has a name and a priority
	LaunchNow  // the same, and it is ready
	Ready      // key is ready
	Done       // key completes, not by the end of its own body
	DoneFailed // the same, with a failure
	After      // key has to wait for the other
	Hold       // key, whose body runs, is held open by the other

	Wait       // the body of key waits, for the other if that is one event
	WaitEnd    // it goes on
	Range      // a range of a loop of key begins, with its body's name and its first element
	RangeEnd   // it ends, with how many elements it had
	Park       // the goroutine sleeps, since there is nothing to do
	ParkEnd    // it is awake; the key is how many nanoseconds ago it was last woken, 0 if never
	Blocked    // the body of key enters Context.Blocking
	BlockedEnd // it leaves that

	Steal // key was taken from the lane with a number
	Mark  // a mark in the body of key, with a label and a number
	Run   // key is a run of a graph, with the numbers of both

	more // the second slot of a record
)
