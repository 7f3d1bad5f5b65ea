package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/kernel"

// A forkStack is what a slot keeps of forks: the private ones of the bodies on its holder's stack,
// and free records.
//
// Of the forks that nobody has waited for, the oldest are public, that is in the slot's deque, where
// thieves find them. While there are enough of these, the others are private to the slot's
// holder: they cost no atomic operation, and they are the ones that a body waits for next. It is
// the private deque of Acar, Charguéraud and Rainey, "Scheduling Parallel Programs by Work Stealing
// with Private Deques", 2013, with a public end, so that nobody has to answer thieves.
//
//	P1 forks[:top] are the private forks of the bodies on the holder's stack, in the order of
//	   their age, those that their body runs at the moment included; what comes after is free.
//	P2 those before index begun are being run by their bodies.
//	P3 a slot that changes hands has no private fork: publishAll comes before.
//	P4 after each fork, and before each run of a private one, there are as many public ones as
//	   enough says, or no private one that could be made public.
//
// A private fork is run by its own body at the latest, so nobody hangs but a body that waits for
// something else that the call does, see [Context.Fork].
type forkStack struct {
	forks  []*fork
	top    int
	begun  int
	enough int
	calm   int // forks since there were too few public ones
}

const (
	forkBatch = 32 // forks are made so many at a time
	forkCache = 64 // free ones that a slot keeps at most

	fewForks  = 2    // the least that is ever enough
	manyForks = 256  // and the most
	calmForks = 4096 // after so many without want, half will do
)

func newForkStack(workers int) forkStack {
	return forkStack{enough: min(fewForks*workers, manyForks)}
}

// pop takes the last private fork out. Its record is free.
func (s *forkStack) pop() {
	s.top--
	if s.begun > s.top {
		s.begun = s.top
	}
}

// settleDown is called when there were always enough public forks for a long time.
func (o *owner) settleDown() {
	o.calm, o.enough = 0, max(o.enough/2, fewForks)
	o.sys.kern.EnoughForks(o.slot, o.enough)
}

// publishMore sees that there are enough public forks before the holder runs a private one.
func (o *owner) publishMore(l kernel.Level) {
	if o.slot.Forks(l) < o.slot.Enough() {
		o.publish(l)
	}
}

// publish makes private forks public, the oldest first, until there are enough. It answers the watch, if that has asked.
func (o *owner) publish(l kernel.Level) {
	if o.top-o.begun > 1 && o.slot.Forks(l) == 0 { // thieves took all there was
		o.calm, o.enough = 0, min(2*o.enough, manyForks)
	}
	o.sys.kern.EnoughForks(o.slot, o.enough)
	for o.slot.Forks(l) < o.enough {
		for o.begun < o.top && o.forks[o.begun].f == nil {
			o.begun++
		}
		if o.begun == o.top {
			return
		}
		k := o.forks[o.begun]
		copy(o.forks[o.begun:], o.forks[o.begun+1:])
		o.forks = o.forks[:len(o.forks)-1]
		o.top--
		o.show(k)
	}
}

// publishAll makes all private forks public. Those that run are not in the stack any more.
func (o *owner) publishAll() {
	for _, k := range o.forks[:o.top] {
		if k.f == nil {
			k.n &^= forkPrivate
			continue
		}
		o.show(k)
	}
	free := copy(o.forks, o.forks[o.top:]) // and not a part of the array, or it would have to grow again
	o.forks = o.forks[:free]
	o.top, o.begun = 0, 0
}

// show makes k public: F2.
func (o *owner) show(k *fork) {
	k.n &^= forkPrivate
	o.sys.kern.PushFork(o.slot, k.in.prio.level(), k.n)
}

// newFork returns a free record.
func (s *System) newFork() *fork {
	for {
		if k, ok := s.freeForks.Pop(); ok {
			return k
		}
		for _, k := range s.makeForks() {
			s.freeForks.Push(k)
		}
	}
}

// moreForks gives the slot of o free records.
func (s *System) moreForks(o *owner) {
	for range forkBatch {
		k, ok := s.freeForks.Pop()
		if !ok {
			break
		}
		k.n |= forkPrivate
		o.forks = append(o.forks, k)
	}
	if o.top < len(o.forks) {
		return
	}
	for _, k := range s.makeForks() {
		k.n |= forkPrivate
		o.forks = append(o.forks, k)
	}
}

// makeForks returns new records.
func (s *System) makeForks() []*fork {
	batch := s.freshFork.Add(1) - 1
	if batch >= maxGraph/forkBatch {
		panic("taskgraph: more than 2^28 forks at a time")
	}
	places := s.forks.Grow(batch)
	for i := range places {
		// One by one: of an array with pointers the elements need not begin where cache lines do.
		places[i] = &fork{n: batch*forkBatch + uint32(i)}
	}
	return places[:]
}

// freeFork gives a record back, which nobody else refers to.
func (s *System) freeFork(o *owner, k *fork) {
	if k.in == nil {
		s.forkFailures.At(k.n).Store(nil)
	}
	k.f, k.in = nil, nil
	k.join.Reset()
	if o == nil || len(o.forks)-o.top >= forkCache {
		s.freeForks.Push(k)
		return
	}
	k.n |= forkPrivate
	o.forks = append(o.forks, k)
}
