package flight

// A Kind says what a record is about.
type Kind uint8

// The kinds of records. What is called other and name is of records of two slots.
const (
	Begin      Kind = iota + 1 // the body of key begins; other is the round; it has a name
	BeginOf                    // the same, of a task of a graph, whose name is known otherwise
	BeginCall                  // the same, of a call of key's own; other is who forked it, and it has a name
	Next                       // the innermost body ends, and that of key, of the same graph, begins
	End                        // the body of key ends, and its event completes
	EndOpen                    // the body of key ends, and its event is held open
	EndFailed                  // the body of key ends, and its event fails
	Launch                     // key is launched, by other; it has a name and a priority
	LaunchNow                  // the same, and it is ready
	Ready                      // key is ready
	Done                       // key completes, without the end of its own body
	DoneFailed                 // the same, with a failure
	After                      // key has to wait for other
	Hold                       // key, whose body runs, is held open by other
	Wait                       // the body of key waits for other
	WaitEnd                    // it goes on
	Range                      // a range of a loop of key begins; other is its first index
	RangeEnd                   // it ends; other is how many were done
	Park                       // the goroutine sleeps, having nothing to do
	ParkEnd                    // it is awake
	Blocked                    // the body of key enters Blocking
	BlockedEnd                 // it leaves it
	Steal                      // key is the number of the slot from which was stolen
	Wake                       // somebody was woken
	Mark                       // a mark of the user's; key is the body, other the argument, and its name
	Run                        // a run of a graph: key is its event, other number and graph
	more                       // the second slot of a record
)
