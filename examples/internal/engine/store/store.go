package store

import (
	"fmt"
	"time"

	"github.com/heddle-go/heddle/lockfree"
)

// A Store is a table of values that were read from files, by the file's name. Make one with [New].
//
// A request has a number, and is asked, answered and given back, in this order, and then may be
// asked again. Whoever asks sees to that order; the round tells the answer to one asking from that
// to the next.
//
// # Concurrency
//
// [Store.Ask], [Store.Rank] and [Store.Drop] may be called by any goroutine; those of one request
// are ordered by the program. Answers is for one goroutine at a time. All else is for the owner:
// one at a time, each call after the one before.
//
// # Progress
//
// Whoever asks never waits. A push that returns wake says that the owner has stalled: then the
// program sees to it that the owner calls [Store.Serve] until that returns false. It is said once
// for each time that the owner stalls, so that none is lost and none is needless.
type Store[T any] struct {
	inbox   lockfree.StallingQueue[message]
	answers lockfree.StallingQueue[Answer[T]]

	// The owner's alone.
	options  Options[T]
	reader   reader
	table    map[string]*entry[T]
	requests []request[T]
	waiting  []uint32 // numbers of requests whose file is to be read, in no order
	oldest   *entry[T]
	newest   *entry[T] // of the entries that nobody has, by when they were left
	got      []message
	stalled  bool
	stats    Stats
}

// A message is what a thread has to say to the owner.
type message struct {
	verb    verb
	request uint32
	round   uint32
	near    float32
	name    string
}

type verb uint8

const (
	ask verb = iota
	rank
	drop
)

// A request is one that somebody asks, as the owner knows it.
type request[T any] struct {
	state state
	round uint32
	near  float32
	entry *entry[T]
}

type state uint8

const (
	idle    state = iota
	waiting       // is in the list of those
	held          // was answered; its entry counts it
)

// An entry is a file.
type entry[T any] struct {
	name  string
	value T
	size  int64
	fault *Fault
	there bool // value is
	uses  int
	known bool   // sum is
	sum   uint64 // of what was in the file when it was read first

	older, newer *entry[T] // in the list of those that nobody has, if there and uses is 0
}

// timesKept is how many of Stats.Times there are at most.
const timesKept = 1 << 12

// New returns an empty store whose owner has stalled.
func New[T any](o Options[T]) *Store[T] {
	if o.Limit == 0 {
		o.Limit = usualLimit
	}
	s := &Store[T]{
		options: o, reader: reader{files: o.Files, limit: o.Limit}, table: map[string]*entry[T]{},
		requests: make([]request[T], o.Requests), waiting: make([]uint32, 0, o.Requests),
	}
	s.stats.Times = make([]time.Duration, 0, timesKept)
	s.stalled = s.inbox.Stall(lockfree.Mark{})
	return s
}

// Ask asks for a file, which is the more urgent the nearer it is. The answer comes through Answers,
// with this round.
func (s *Store[T]) Ask(request, round uint32, name string, near float32) (wake bool) {
	return s.push(message{verb: ask, request: request, round: round, near: near, name: name})
}

// Rank says anew how near the file of a request is. If it has been answered that is of no effect.
func (s *Store[T]) Rank(request uint32, near float32) (wake bool) {
	return s.push(message{verb: rank, request: request, near: near})
}

// Drop gives a request back, whether it has been answered or not: if its file has not been read it
// is not read for it any more.
func (s *Store[T]) Drop(request uint32) (wake bool) {
	return s.push(message{verb: drop, request: request})
}

func (s *Store[T]) push(m message) (wake bool) {
	wake, _ = s.inbox.Push(m, 0) // nobody closes it
	return wake
}

// Answers takes the answers that have come since, and appends them to buf. Those of a round that
// was given back meanwhile may be among them.
func (s *Store[T]) Answers(buf []Answer[T]) []Answer[T] { return s.answers.PopAll(0, buf) }

// Serve is called by the owner, and takes in what others have said, and then reads the file of the
// most urgent request that waits, if one does. It returns false when there was nothing to do, and
// the owner has stalled: whoever has something for it after that is told to wake it.
func (s *Store[T]) Serve() bool {
	if s.stalled {
		// It was woken. Or nobody was told to make this call: then the registration is taken back,
		// and a wake-up that is on its way finds nothing to do.
		s.inbox.Unstall()
		s.stalled = false
	}
	s.got = s.inbox.PopAll(0, s.got[:0])
	for i := range s.got {
		s.take(&s.got[i])
	}
	if len(s.waiting) == 0 {
		s.stalled = s.inbox.Stall(lockfree.Mark{}) // if it is still empty
		return !s.stalled
	}
	next := 0
	for i, n := range s.waiting {
		if s.before(n, s.waiting[next]) {
			next = i
		}
	}
	e := s.requests[s.waiting[next]].entry
	s.load(e)
	left := s.waiting[:0]
	for _, n := range s.waiting {
		if s.requests[n].entry == e {
			s.answer(n)
		} else {
			left = append(left, n)
		}
	}
	s.waiting = left
	s.shrink()
	return true
}

// before reports whether a request is to be served before another.
func (s *Store[T]) before(a, b uint32) bool {
	x, y := s.requests[a].near, s.requests[b].near
	return x < y || x == y && a < b
}

// take takes in a message.
func (s *Store[T]) take(m *message) {
	r := &s.requests[m.request]
	switch m.verb {
	case ask:
		if r.state != idle {
			panic(fmt.Sprintf("store: request %d is asked again, for %s", m.request, m.name))
		}
		e := s.table[m.name]
		if e == nil {
			e = &entry[T]{name: m.name}
			s.table[m.name] = e
		}
		*r = request[T]{state: waiting, round: m.round, near: m.near, entry: e}
		s.stats.Asked++
		if e.there || e.fault != nil {
			s.stats.Found++
			s.answer(m.request)
			return
		}
		s.waiting = append(s.waiting, m.request)
	case rank:
		r.near = m.near
	case drop:
		switch r.state {
		case idle:
			panic(fmt.Sprintf("store: request %d is given back twice", m.request))
		case waiting:
			s.stats.Cancelled++
			for i, n := range s.waiting {
				if n == m.request {
					last := len(s.waiting) - 1
					s.waiting[i] = s.waiting[last]
					s.waiting = s.waiting[:last]
					break
				}
			}
		case held:
			if e := r.entry; e.fault == nil {
				if e.uses--; e.uses == 0 {
					s.leave(e)
					s.shrink()
				}
			}
		}
		*r = request[T]{}
	}
}

// answer gives a request what its entry has.
func (s *Store[T]) answer(n uint32) {
	r := &s.requests[n]
	e := r.entry
	r.state = held
	if e.fault == nil {
		if e.uses == 0 {
			s.unlink(e)
		}
		e.uses++
	}
	s.answers.Push(Answer[T]{n, r.round, e.value, e.fault}, 0)
}

// load reads the file of an entry.
func (s *Store[T]) load(e *entry[T]) {
	s.reader.begin()
	start := time.Now()
	var reading time.Duration
	value, size, err := s.parse(e.name, func(name string) ([]byte, error) {
		from := time.Now()
		text, err := s.reader.read(name)
		reading += time.Since(from)
		return text, err
	})
	s.stats.Reading += reading
	s.stats.Parsing += time.Since(start) - reading
	s.stats.Read++
	s.stats.Bytes += s.reader.bytes
	if len(s.stats.Times) < cap(s.stats.Times) {
		s.stats.Times = append(s.stats.Times, reading)
	}
	e.fault = faultOf(e.name, err)
	if e.fault == nil && e.known && e.sum != s.reader.sum {
		e.fault = &Fault{e.name, Changed, errOther}
	}
	if e.fault != nil {
		s.stats.Faults++
		return
	}
	e.known, e.sum = true, s.reader.sum
	e.value, e.size, e.there = value, size, true
	s.leave(e) // until the first one has it
	s.stats.Kept += size
	s.stats.Most = max(s.stats.Most, s.stats.Kept)
}

// parse calls the parser, which may panic over a file that it does not understand.
func (s *Store[T]) parse(name string, read Reader) (value T, size int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the parser panics: %v", p)
		}
	}()
	return s.options.Parse(name, read)
}

// leave puts an entry behind those that nobody has.
func (s *Store[T]) leave(e *entry[T]) {
	e.older, e.newer = s.newest, nil
	if s.newest != nil {
		s.newest.newer = e
	} else {
		s.oldest = e
	}
	s.newest = e
}

// unlink takes an entry from among them.
func (s *Store[T]) unlink(e *entry[T]) {
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		s.oldest = e.newer
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		s.newest = e.older
	}
	e.older, e.newer = nil, nil
}

// shrink drops what nobody has, until the rest is within the budget.
func (s *Store[T]) shrink() {
	for s.stats.Kept > s.options.Budget && s.oldest != nil {
		e := s.oldest
		s.unlink(e)
		var none T
		e.value, e.there = none, false
		s.stats.Kept -= e.size
		s.stats.Dropped++
	}
}

// Sums returns for each file that could be read what it held, as one number, and for each that
// could not what is wrong with it. It is the owner's.
func (s *Store[T]) Sums() (sums map[string]uint64, faults map[string]*Fault) {
	sums, faults = map[string]uint64{}, map[string]*Fault{}
	for name, e := range s.table {
		switch {
		case e.fault != nil:
			faults[name] = e.fault
		case e.known:
			sums[name] = e.sum
		}
	}
	return sums, faults
}

// Stats returns what the owner has done. It is the owner's, and Times is the store's.
func (s *Store[T]) Stats() Stats { return s.stats }

// Served reports whether a round of a request has its answer. It is the owner's.
func (s *Store[T]) Served(request, round uint32) bool {
	r := &s.requests[request]
	return r.state == held && r.round == round
}
