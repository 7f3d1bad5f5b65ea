//go:build modelcheck

package farm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// A held is what a server has of one piece of work, at one moment. It is never changed: each step
// makes another one.
type held struct {
	record    []byte
	tries     []byte
	message   *mail // in the stream, or nil
	delivered uint64
	pending   bool // the message delivered last is waited for
	last      uint64
	news      bool // a record was made and not announced
}

// A mail is a message of a stream.
type mail struct {
	seq   uint64
	times uint64 // delivered
	data  []byte
	head  nats.Header
}

// A stream does what JetStream does with the messages and records of one piece of work.
type stream struct{ now atomics.Pointer[held] }

// change makes a step; f gets a copy to change, and says whether it did.
func (s *stream) change(f func(h *held) bool) bool {
	for {
		old := s.now.Load()
		h := *old
		if !f(&h) {
			return false
		}
		if s.now.CompareAndSwap(old, &h) {
			return true
		}
	}
}

type serverJS struct {
	jetstream.JetStream
	*stream
}

func (s serverJS) PublishMsg(_ context.Context, m *nats.Msg, _ ...jetstream.PublishOpt) (
	*jetstream.PubAck, error) {
	var seq uint64
	if !s.change(func(h *held) bool {
		if h.message != nil {
			return false
		}
		h.last++
		seq = h.last
		h.message = &mail{seq: seq, data: m.Data, head: m.Header}
		return true
	}) {
		return nil, &jetstream.APIError{Description: "maximum messages per subject exceeded"}
	}
	return &jetstream.PubAck{Sequence: seq}, nil
}

type serverStream struct {
	jetstream.Stream
	*stream
}

func (s serverStream) GetLastMsgForSubject(context.Context, string) (*jetstream.RawStreamMsg,
	error) {
	if m := s.now.Load().message; m != nil {
		return &jetstream.RawStreamMsg{Sequence: m.seq}, nil
	}
	return nil, jetstream.ErrMsgNotFound
}

func (s serverStream) DeleteMsg(_ context.Context, seq uint64) error {
	if !s.change(func(h *held) bool { return h.remove(seq) }) {
		return jetstream.ErrMsgNotFound
	}
	return nil
}

// remove takes a message out of the stream. A purge of a subject would make the server forget more.
func (h *held) remove(seq uint64) bool {
	if h.message == nil || h.message.seq != seq {
		return false
	}
	h.message = nil
	h.pending = h.pending && h.delivered != seq
	return true
}

type serverConsumer struct {
	jetstream.Consumer
	info *jetstream.ConsumerInfo
}

func (c serverConsumer) CachedInfo() *jetstream.ConsumerInfo { return c.info }

func (s serverStream) Consumer(context.Context, string) (jetstream.Consumer, error) {
	h := s.now.Load()
	info := &jetstream.ConsumerInfo{Delivered: jetstream.SequenceInfo{Stream: h.delivered},
		AckFloor: jetstream.SequenceInfo{Stream: h.delivered}}
	if h.pending {
		info.NumAckPending, info.AckFloor.Stream = 1, h.delivered-1
	}
	return serverConsumer{info: info}, nil
}

// A serverKV is a bucket; of gives the value in it.
type serverKV struct {
	jetstream.KeyValue
	*stream
	of func(h *held) *[]byte
}

type serverEntry struct {
	jetstream.KeyValueEntry
	value []byte
}

func (e serverEntry) Value() []byte    { return e.value }
func (e serverEntry) Revision() uint64 { return 1 }

func (s serverKV) Get(context.Context, string) (jetstream.KeyValueEntry, error) {
	h := *s.now.Load()
	if b := *s.of(&h); b != nil {
		return serverEntry{value: b}, nil
	}
	return nil, jetstream.ErrKeyNotFound
}

func (s serverKV) Create(_ context.Context, _ string, b []byte, _ ...jetstream.KVCreateOpt) (
	uint64, error) {
	if !s.change(func(h *held) bool {
		if *s.of(h) != nil {
			return false
		}
		*s.of(h), h.news = b, true
		return true
	}) {
		return 0, jetstream.ErrKeyExists
	}
	return 1, nil
}

func (s serverKV) Put(_ context.Context, _ string, b []byte) (uint64, error) {
	s.change(func(h *held) bool { *s.of(h) = b; return true })
	return 1, nil
}

func (s serverKV) Purge(context.Context, string, ...jetstream.KVDeleteOpt) error {
	s.change(func(h *held) bool { *s.of(h) = nil; return true })
	return nil
}

var modelJob = jobID{"job", "1"}

// A shop is a server with farms of several processes, their calls and workers.
type shop struct {
	stream
	m     *modelcheck.Model
	farms [2]*Farm
	calls []*Result
	left  []bool // of the calls, who were given up
	runs  atomics.Int32
	again atomics.Int32 // messages that were delivered again, or forgotten
}

var errLeaves = errors.New("leaves")

func newShop(m *modelcheck.Model) *shop {
	s := &shop{m: m}
	s.now.Store(new(held))
	for i := range s.farms {
		s.farms[i] = s.newFarm()
	}
	return s
}

func (s *shop) newFarm() *Farm {
	o := Options{}
	if err := o.validate(); err != nil {
		panic(err)
	}
	o.Recheck = 0 // the consumer is asked each time
	f := newFarm(o)
	f.js = serverJS{stream: &s.stream}
	f.results = serverKV{stream: &s.stream, of: func(h *held) *[]byte { return &h.record }}
	f.tries = serverKV{stream: &s.stream, of: func(h *held) *[]byte { return &h.tries }}
	for p := range f.queues {
		f.queues[p] = serverStream{stream: &s.stream}
	}
	return f
}

// call does what Result.Run does, in its rounds and by the submitters.
func (s *shop) call(i int) {
	r := s.calls[i]
	if r.enter() {
		r.f.look(r.fl)
		if !r.f.isOver(r.fl) {
			r.f.publish(r.fl, false)
		}
	}
	submit(r.f)
}

// submit does what submitters do.
func submit(f *Farm) {
	for {
		f.ops.mu.Lock()
		all := f.ops.list
		f.ops.list = nil
		f.ops.mu.Unlock()
		if len(all) == 0 {
			return
		}
		for _, op := range all {
			op()
		}
	}
}

// leave is the end of a call's context.
func (s *shop) leave(i int) {
	s.calls[i].leave(errLeaves)
	submit(s.calls[i].f)
}

// recheck is what the janitor does with the flights of a farm.
func (s *shop) recheck(f *Farm) {
	var open []*flight
	f.mu.Lock()
	for _, fl := range f.flights {
		open = append(open, fl)
	}
	f.mu.Unlock()
	for _, fl := range open {
		f.recheck(fl)
	}
	submit(f)
}

// announce tells all farms of the record, or loses the announcement to one of them.
func (s *shop) announce() {
	var record []byte
	if !s.change(func(h *held) bool {
		record = h.record
		had := h.news
		h.news = false
		return had
	}) {
		return
	}
	lost := modelcheck.Choose(2) // none, or the first
	for i, f := range s.farms {
		if i >= lost {
			f.announced(&nats.Msg{Subject: f.doneSubject(s.key().String()), Data: record})
		}
	}
}

func (s *shop) key() Hash { return keyOf(modelJob, s.calls[0].in.argRef, nil) }

// forget is what a server does when a subject is purged.
func (s *shop) forget() {
	if s.change(func(h *held) bool {
		had := h.pending
		h.pending = false
		return had
	}) {
		s.again.Add(1)
	}
}

// work takes a delivery, if there is one. With late it may be one that another worker has, who is
// not heard of; an acknowledgement may be lost.
func (s *shop) work(late bool) {
	var got mail
	if !s.change(func(h *held) bool {
		m := h.message
		if m == nil || m.seq <= h.delivered && !(late && h.pending) {
			return false
		}
		got = *m
		got.times++
		h.message, h.delivered, h.pending = &got, m.seq, true
		return true
	}) {
		return
	}
	if got.times > 1 {
		s.again.Add(1)
	}
	f := s.newFarm()
	f.hooks.dropAck = func() bool {
		s.change(func(h *held) bool { return h.remove(got.seq) })
		return true
	}
	jobs := NewJobs()
	jobs.Register(modelJob.name, modelJob.version,
		func(_ context.Context, _ Input, out io.Writer) error {
			_, err := fmt.Fprint(out, "run ", s.runs.Add(1))
			return err
		})
	w := &worker{f: f, jobs: jobs, opts: WorkOptions{ID: "w", Slots: 1}, ctx: f.ctx,
		running: map[string]run{}}
	w.take(&consumer{id: modelJob, ackWait: time.Hour}, &nats.Msg{Data: got.data,
		Header: got.head, Subject: f.jobSubject(Normal, modelJob, s.key().String())},
		&nats.MsgMetadata{NumDelivered: got.times})
}

// A part is what one thread of a program does.
type part struct {
	what string
	on   int // a call, or a farm
}

func (p part) String() string { return fmt.Sprint(p.what, " ", p.on) }

// plays has the parts of a program played side by side, for calls of the same work in the farms of
// that number. In the end the janitors look, and whoever is forgotten is delivered again.
func plays(m *modelcheck.Model, calls []int, parts [][]part) {
	s := newShop(m)
	for _, at := range calls {
		s.calls = append(s.calls, &Result{f: s.farms[at], id: modelJob, in: Bytes([]byte("x")),
			opts: CallOptions{Priority: Normal}})
	}
	s.left = make([]bool, len(calls))
	for _, one := range parts {
		for _, p := range one {
			if p.what == "leave" {
				s.left[p.on] = true
			}
		}
		m.Thread(func() {
			for _, p := range one {
				modelcheck.Note(p.String)
				switch p.what {
				case "call":
					s.call(p.on)
				case "leave":
					s.leave(p.on)
				case "work":
					s.work(false)
				case "work again":
					s.work(true)
				case "forget":
					s.forget()
				case "announce":
					s.announce()
				case "recheck":
					s.recheck(s.farms[p.on%2])
				}
			}
		})
	}
	m.After(func() { s.end(calls, parts) })
}

// end says what must hold.
func (s *shop) end(calls []int, parts [][]part) {
	for range 3 {
		s.work(false)
		s.work(true)
		s.change(func(h *held) bool { h.news = false; return true }) // all that is left is lost
		for _, f := range s.farms {
			s.recheck(f)
		}
	}
	h := s.now.Load()
	for i, r := range s.calls {
		s.m.Assert(r.settled, "call %d waits for ever: %v", i, parts)
		switch {
		case r.err == nil:
			want, err := decodeRecord(h.record)
			s.m.Assert(err == nil && string(want.payload) == string(r.rec.payload),
				"call %d has %q, and on record is %q", i, r.rec.payload, h.record)
		default:
			s.m.Assert(s.left[i] && errors.Is(r.err, errLeaves), "call %d fails: %v", i, r.err)
		}
	}
	for _, f := range s.farms {
		s.m.Assert(len(f.flights) == 0 && f.waiting == 0, "%d flights, and %d are said to wait",
			len(f.flights), f.waiting)
	}
	s.m.Assert(h.message == nil || s.again.Load() > 0 && slices.Contains(s.left, true),
		"a message stays in the queue")
	if s.again.Load() == 0 && !slices.Contains(s.left, true) {
		s.m.Assert(s.runs.Load() == 1, "it ran %d times", s.runs.Load())
	}
}

// TestModelFlight: calls of one or two processes want the same work, go away, look for results and
// hear of them, while workers take it, are late or are forgotten. All who wait get the result that
// is on record, and without such faults the function runs once.
func TestModelFlight(t *testing.T) {
	modelcheck.Drawn(func(i int, source *rand.Rand, executions int) {
		var calls []int
		var parts [][]part
		for at := range 1 + source.IntN(2) {
			calls = append(calls, source.IntN(2))
			one := []part{{"call", at}}
			if source.IntN(3) == 0 {
				one = append(one, part{"recheck", calls[at]})
			}
			parts = append(parts, one)
			if source.IntN(3) == 0 {
				parts = append(parts, []part{{"leave", at}})
			}
		}
		others := []string{"work", "work", "work again", "announce", "recheck", "forget"}
		for len(parts) < 3 || len(parts) < 4 && source.IntN(2) == 0 {
			var one []part
			for range 1 + source.IntN(2) {
				one = append(one, part{others[source.IntN(len(others))], source.IntN(2)})
			}
			parts = append(parts, one)
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{
				Explorers: modelcheck.Portfolio(executions)},
				func(m *modelcheck.Model) { plays(m, calls, parts) })
		})
	})
}
