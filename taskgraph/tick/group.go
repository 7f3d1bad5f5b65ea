package tick

// MaxGroups is how many groups a [Set] can have.
const MaxGroups = 64

// A Group is a part of the frame. Its number is its index in [Options.Groups].
type Group struct {
	// Name is for messages.
	Name string

	// NoDemotion keeps functions from being demoted into the group: they go on to the next group
	// that takes them. It is for a group that only starts or ends something, and that others wait
	// for. The last group takes everything.
	NoDemotion bool
}
