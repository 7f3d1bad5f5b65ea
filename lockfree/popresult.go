package lockfree

// A PopResult tells what a Pop of a StallingQueue came to.
type PopResult uint8

const (
	// PopOK means that the Pop took a value.
	PopOK PopResult = iota
	// PopEmpty means that the queue was empty at some moment inside the Pop.
	PopEmpty
	// PopStalled means that the Pop found nothing and registered its consumer as stalled.
	PopStalled
)
