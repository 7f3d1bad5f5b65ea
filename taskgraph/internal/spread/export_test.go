package spread

// Between two looks there is the time LookEvery, between two questions AskEvery.
const (
	LookEvery = lookEvery
	AskEvery  = askEvery
)
