package namedthread

import "math"

// pollDue reports whether a pump must call Options.Poll now. The owner alone calls it.
func (t *Thread) pollDue() bool {
	return t.opts.Poll != nil && !t.polling && t.now() >= t.nextPoll
}

// poll calls Options.Poll. The next call is due a period after this call has ended, or after it has
// begun if it does not return.
func (t *Thread) poll() {
	t.setNextPoll()
	t.polling = true
	defer t.endPoll()
	t.opts.Poll(t)
	t.setNextPoll()
}

func (t *Thread) setNextPoll() {
	now := t.now()
	if t.nextPoll = now + int64(t.opts.PollEvery); t.nextPoll < now {
		t.nextPoll = math.MaxInt64
	}
}

func (t *Thread) endPoll() { t.polling = false }
