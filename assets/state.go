package assets

// A State says how far a resource has come.
type State uint8

// The states, in the order in which a resource passes them. It ends ready or failed.
const (
	Unknown State = iota // nobody has asked for it, or it was unloaded
	Queued               // no pipe has begun
	Loading              // it is in the pipes
	Waiting              // for what it depends on
	Ready
	Failed
)

var stateNames = [...]string{"unknown", "queued", "loading", "waiting", "ready", "failed"}

// String returns the state in one word.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "invalid"
}
