package namedthread

// done tells whoever waits for it that a thread has ended. The channel is for users to select
// on; it is closed once, and nothing in this package receives from it.
type done struct{ c chan struct{} }

func (d *done) init() { d.c = make(chan struct{}) }
func (d *done) set()  { close(d.c) }

// Done returns a channel that is closed when the thread has ended: it has quit, all it had
// accepted was run or cancelled, and its name is free again. An attached thread ends in
// Detach.
func (t *Thread) Done() <-chan struct{} {
	t.mustBe("Done")
	return t.done.c
}
