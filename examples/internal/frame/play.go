package frame

// A player plays the frames of a plan, one after the other, in its own way.
type player interface {
	// frame plays a frame. An error is of this frame; the next one can be played all the same.
	frame(frame int) error
	// finish plays what lags behind: the later steps of the last frame.
	finish() error
	// close ends what the player has started.
	close() error
}
