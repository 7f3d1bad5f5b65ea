package farm

// A Priority says which stream a job waits in. Workers look into a higher one first.
type Priority uint8

const (
	Normal Priority = iota
	High
	Low
	priorities = 3
)

// order is how workers look.
var order = [priorities]Priority{High, Normal, Low}

var priorityNames = [priorities]string{"normal", "high", "low"}

// String returns the priority's name.
func (p Priority) String() string {
	if p < priorities {
		return priorityNames[p]
	}
	return "invalid"
}
