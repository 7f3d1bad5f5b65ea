package farm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Status is what a farm has and does, at about the moment of the call.
type Status struct {
	Workers  []WorkerStatus // by ID
	Queues   []QueueStatus  // by priority, the highest first, and by job
	Waiting  uint64         // jobs queued, those that run included
	Results  uint64         // kept
	Contents uint64         // bytes of arguments and results kept as objects
	Dead     uint64         // jobs given up, and messages put aside
}

// A WorkerStatus is what a worker says of itself once a second.
type WorkerStatus struct {
	ID, Host    string
	PID         int
	Slots, Busy int
	Jobs        []string // each "name version"

	// Since its start: results that count, attempts that failed, deliveries that were not the
	// first, results that came second, and jobs given up.
	Done, Failed, Retried, Duplicates, Dead uint64
}

// A QueueStatus is about one job in one priority.
type QueueStatus struct {
	Job         string // "name version", or a name that is not a job's
	Priority    Priority
	Waiting     uint64 // not delivered
	Running     int    // delivered, and not acknowledged
	Redelivered int    // of them not for the first time
	Requests    int    // by workers that wait for one
}

// A DeadLetter is a job that was given up, or a message that was none.
type DeadLetter struct {
	Sequence uint64
	At       time.Time
	Subject  string // where it was queued
	Job      string // "name version", or "" if it is none
	Worker   string // who gave it up
	Err      string
}

// Status asks the farm. What workers say is known from a second after Open on.
func (f *Farm) Status(ctx context.Context) (*Status, error) {
	s := &Status{}
	if f.isLocal() {
		return s, nil
	}
	now := time.Now()
	f.mu.Lock()
	for _, p := range f.workers {
		if now.Sub(p.heard) <= presenceFor {
			s.Workers = append(s.Workers, p.WorkerStatus)
		}
	}
	f.mu.Unlock()
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int { return cmp.Compare(a.ID, b.ID) })
	for _, p := range order {
		st, err := f.js.Stream(ctx, f.streamName(p))
		if err != nil {
			return nil, err
		}
		s.Waiting += st.CachedInfo().State.Msgs
		list := st.ListConsumers(ctx)
		for c := range list.Info() {
			s.Queues = append(s.Queues, QueueStatus{Job: f.jobOf(c.Config.FilterSubject),
				Priority: p, Waiting: c.NumPending, Running: c.NumAckPending,
				Redelivered: c.NumRedelivered, Requests: c.NumWaiting})
		}
		if err := list.Err(); err != nil {
			return nil, err
		}
	}
	for _, ask := range []struct {
		stream string
		msgs   *uint64
		bytes  *uint64
	}{
		{"KV_" + f.bucket("results"), &s.Results, nil},
		{"OBJ_" + f.bucket("content"), nil, &s.Contents},
		{f.deadName(), &s.Dead, nil},
	} {
		st, err := f.js.Stream(ctx, ask.stream)
		if err != nil {
			return nil, err
		}
		if ask.msgs != nil {
			*ask.msgs = st.CachedInfo().State.Msgs
		}
		if ask.bytes != nil {
			*ask.bytes = st.CachedInfo().State.Bytes
		}
	}
	return s, nil
}

// jobOf returns the job of a subject where jobs are queued, or "".
func (f *Farm) jobOf(subject string) string {
	t := strings.Split(subject, ".")
	if len(t) != 6 || t[1] != "job" {
		return ""
	}
	plain := func(s string) string { return strings.ReplaceAll(s, "=", ".") }
	return plain(t[3]) + " " + plain(t[4])
}

// DeadLetters returns the newest dead letters, at most n, the oldest of them first.
func (f *Farm) DeadLetters(ctx context.Context, n int) ([]DeadLetter, error) {
	if f.isLocal() {
		return nil, nil
	}
	st, err := f.js.Stream(ctx, f.deadName())
	if err != nil {
		return nil, err
	}
	state := st.CachedInfo().State
	first := max(state.FirstSeq, 1) // 0 in a stream that never held any
	if state.LastSeq >= uint64(n) {
		first = max(first, state.LastSeq-uint64(n)+1)
	}
	var dead []DeadLetter
	for seq := first; seq <= state.LastSeq && len(dead) < n; seq++ {
		m, err := st.GetMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		d := DeadLetter{Sequence: seq, At: m.Time, Subject: m.Header.Get("Farm-Subject"),
			Worker: m.Header.Get("Farm-Worker"), Err: m.Header.Get("Farm-Error")}
		if m.Subject != f.asideSubject() {
			d.Job = f.jobOf(d.Subject)
		}
		dead = append(dead, d)
	}
	return dead, nil
}

// A Purge says what [Farm.Purge] removes.
type Purge struct {
	Queued   bool // jobs that wait; calls that wait for them queue them again
	Results  bool // results: the work is done anew when it is asked for
	Contents bool // arguments and results kept as objects; with Results
	Dead     bool // dead letters
}

// Purge removes what p says from the server, for all who use the farm.
func (f *Farm) Purge(ctx context.Context, p Purge) error {
	if f.isLocal() {
		return nil
	}
	if p.Contents && !p.Results {
		return fmt.Errorf("%w: results without their contents", ErrInvalid)
	}
	var streams []string
	if p.Queued {
		for _, prio := range order {
			streams = append(streams, f.streamName(prio))
		}
		streams = append(streams, "KV_"+f.bucket("tries"))
	}
	if p.Results {
		streams = append(streams, "KV_"+f.bucket("results"))
	}
	if p.Contents {
		streams = append(streams, "OBJ_"+f.bucket("content"))
	}
	if p.Dead {
		streams = append(streams, f.deadName())
	}
	for _, name := range streams {
		st, err := f.js.Stream(ctx, name)
		if err == nil {
			err = st.Purge(ctx)
		}
		if err != nil {
			return fmt.Errorf("farm: purge %s: %w", name, err)
		}
	}
	return nil
}
