package farm

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// againHeader is in messages of work that was queued before, and forgotten. Its runs are counted
// on, although the server delivers the message for the first time.
const againHeader = "Farm-Again"

// told is what the server has said of a consumer.
type told struct {
	asked time.Time
	info  *jetstream.ConsumerInfo // or nil, if there is none as far as is known
}

// isForgotten reports whether a message that is in the stream is one that its consumer gives to
// nobody any more: it is at or below what counts as acknowledged, or it has been delivered and
// nothing that was delivered is waited for. What is acknowledged leaves the stream, so a message
// that the consumer knows is not found in either state for long.
func isForgotten(seq uint64, c *jetstream.ConsumerInfo) bool {
	return seq <= c.AckFloor.Stream || seq <= c.Delivered.Stream && c.NumAckPending == 0
}

// remind is C6: it queues work again whose message is in the stream, and forgotten. It is for who
// has just found no result (C5). The message is deleted by its number, so it is that one and none
// that somebody else has queued meanwhile; if the deletion fails the stream refuses another.
func (f *Farm) remind(ctx context.Context, fl *flight) {
	c := f.consumerOf(ctx, fl.prio, fl.id)
	f.mu.Lock()
	seq := fl.seq
	f.mu.Unlock()
	if c == nil || seq > 0 && !isForgotten(seq, c) {
		return
	}
	q := f.queues[fl.prio]
	m, err := q.GetLastMsgForSubject(ctx, f.jobSubject(fl.prio, fl.id, fl.key.String()))
	if err != nil {
		return // C5 comes again
	}
	f.mu.Lock()
	fl.seq = m.Sequence // perhaps somebody else has queued it
	f.mu.Unlock()
	if !isForgotten(m.Sequence, c) {
		return
	}
	rec, _, err := f.find(ctx, fl.key) // it may have been acknowledged just now
	if rec != nil {
		f.settleWith(fl, rec)
	}
	if err != nil || rec != nil {
		return
	}
	_ = q.DeleteMsg(ctx, m.Sequence)
	if seq, ok := f.publish(fl, true); !ok || seq == 0 {
		return // somebody else was faster
	}
	f.note(Note{What: NoteForgotten, Key: fl.key, Job: fl.id.String()})
	if f.opts.Logger != nil {
		f.opts.Logger.Warn("farm: the server had forgotten a job that is in its stream", "job",
			fl.id.String(), "key", fl.key.String(), "sequence", m.Sequence)
	}
}

// consumerOf returns what the server says of the consumer of a job, or nil if there is none yet. It
// is asked once in Recheck at most, whoever wants to know; meanwhile its last answer holds: what a
// consumer has forgotten stays so.
func (f *Farm) consumerOf(ctx context.Context, p Priority, id jobID) *jetstream.ConsumerInfo {
	name := p.String() + " " + id.consumer()
	now := time.Now()
	f.mu.Lock()
	last := f.told[name]
	if now.Sub(last.asked) < f.opts.Recheck {
		f.mu.Unlock()
		return last.info
	}
	f.told[name] = told{now, last.info}
	f.mu.Unlock()
	next := told{asked: now}
	if c, err := f.queues[p].Consumer(ctx, id.consumer()); err == nil {
		next.info = c.CachedInfo()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told[name] = next
	return next.info
}
