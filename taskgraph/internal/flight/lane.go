package flight

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// A Lane is where one goroutine at a time writes. All methods are for that goroutine.
type Lane struct {
	log  *Log
	ring ring

	name atomics.Pointer[string] // written by whoever takes the lane
	kind uint8
	next *Lane // in the list of all

	last   uint64    // the last stamp, and whether it is coarse
	fresh  bool      // nothing has happened since the end of a body, which was the last record
	rates  [2]sharer // of the records of bodies, and of all others
	serial uint64
	index  uint64
}

// A sharer has records of a lane share a stamp where they come thick and fast. Those of bodies have
// their own: if they shared more for a burst of others, the next body would have no length.
type sharer struct {
	at     uint64 // the last stamp that was read for one of them
	shared int    // how many more may have the last stamp too
	quota  int    // how many shared the one before
}

// rate returns the sharer of the records of a kind, without a branch: the kinds of bodies' records
// come first, up to EndFailed, and of a later one the difference wraps.
func (l *Lane) rate(k Kind) *sharer { return &l.rates[(EndFailed-k)>>7] }

const (
	kindShift = 58
	coarse    = 1 << 57 // the stamp is that of an earlier record
	stampMask = coarse - 1
	highMask  = 1<<kindShift - 1 // what the first word of a second slot has room for

	mostShared = 15 // records that share the stamp of another
)

// Index returns the number of the lane, from 1 on; 0 for none.
func (l *Lane) Index() uint64 {
	if l == nil {
		return 0
	}
	return l.index
}

// Off reports whether nothing is recorded at the moment.
func (l *Lane) Off() bool { return !l.log.on.Load() }

// stamp returns the kind k with the time. Reading the clock costs more than the rest of a record;
// where records come thick and fast, some share a stamp.
func (l *Lane) stamp(k Kind) uint64 {
	r := l.rate(k)
	if r.shared > 0 {
		r.shared--
		l.last |= coarse
		return uint64(k)<<kindShift | l.last
	}
	now := uint64(l.log.clock.tick())
	switch since := now - r.at; {
	case since < l.log.thick && r.at != 0:
		r.quota = min(2*r.quota+1, mostShared)
	case since < 4*l.log.thick:
		r.quota /= 2
	default:
		r.quota = 0
	}
	r.shared, r.at, l.last = r.quota, now, now
	return uint64(k)<<kindShift | now
}

// Rest says that time may pass before the next record, which then has a stamp of its own.
func (l *Lane) Rest() { l.fresh, l.rates[0].shared, l.rates[1].shared = false, 0, 0 }

// Begin records that the body of key begins, which has a name. It does so as another one has just
// ended, if nothing else was recorded since: then both have one time.
func (l *Lane) Begin(key Key, name Name, round uint64) {
	if l.Off() || !l.ring.room(2) {
		return
	}
	stamp := uint64(Begin)<<kindShift | l.last
	if !l.fresh {
		stamp = l.stamp(Begin)
	}
	l.fresh = false
	l.ring.put2(stamp, uint64(key), uint64(more)<<kindShift|uint64(name), round)
}

// End records that the body of key ends, in the way that k says. If a body begins next, it began
// then, unless each record has a stamp of its own.
func (l *Lane) End(k Kind, key Key) {
	l.Put(k, key)
	l.fresh = !l.Off() && !l.log.exact
}

// Follow is Put for a body of which nothing else is recorded, and which begins at once if another
// one has just ended: then both have one time.
func (l *Lane) Follow(k Kind, key Key) {
	if !l.fresh || l.Off() || !l.ring.room(1) {
		l.Put(k, key)
		return
	}
	l.fresh = false
	l.ring.put(uint64(k)<<kindShift|l.last, uint64(key))
}

// Next is Put where the body of key begins as another one ends, and each instruction counts.
func (l *Lane) Next(key Key) {
	i, r := l.ring.end&countMask, &l.rates[0]
	if r.shared == 0 || i >= blockSlots || l.Off() {
		l.putSlow(Next, key)
		return
	}
	r.shared--
	w := l.ring.at
	w.slots[i] = slot{uint64(Next)<<kindShift | coarse | l.last, uint64(key)} // W1
	l.ring.end++
	atomics.Publish(&w.end, l.ring.end) // W2
}

// Put writes a record of one slot.
func (l *Lane) Put(k Kind, key Key) {
	l.fresh = false
	i := l.ring.end & countMask
	r := l.rate(k)
	if r.shared == 0 || i >= blockSlots || l.Off() {
		l.putSlow(k, key)
		return
	}
	r.shared--
	l.last |= coarse
	w := l.ring.at
	w.slots[i] = slot{uint64(k)<<kindShift | l.last, uint64(key)} // W1
	l.ring.end++
	atomics.Publish(&w.end, l.ring.end) // W2
}

// putSlow is Put where the clock has to be read or the next block to be taken.
func (l *Lane) putSlow(k Kind, key Key) {
	if !l.Off() && l.ring.room(1) {
		l.ring.put(l.stamp(k), uint64(key))
	}
}

// Put2 writes a record of two slots.
func (l *Lane) Put2(k Kind, key Key, extra, other uint64) {
	l.fresh = false
	extra = uint64(more)<<kindShift | extra&highMask
	i := l.ring.end & countMask
	r := l.rate(k)
	if r.shared == 0 || i >= blockSlots-1 || l.Off() {
		l.put2Slow(k, key, extra, other)
		return
	}
	r.shared--
	l.last |= coarse
	w := l.ring.at
	w.slots[i] = slot{uint64(k)<<kindShift | l.last, uint64(key)} // W1
	w.slots[i+1] = slot{extra, other}                             // W1
	l.ring.end += 2
	atomics.Publish(&w.end, l.ring.end) // W2
}

// put2Slow is Put2 where the clock has to be read or the next block to be taken.
func (l *Lane) put2Slow(k Kind, key Key, extra, other uint64) {
	if !l.Off() && l.ring.room(2) {
		l.ring.put2(l.stamp(k), uint64(key), extra, other)
	}
}

// NewCall returns the key of a call that has no name of its own.
func (l *Lane) NewCall() Key {
	l.serial++
	return callKey<<keyShift | Key(l.index)<<44 | Key(l.serial&(1<<44-1))
}

func newLane(g *Log, index uint64) *Lane {
	l := cacheline.New[Lane]()
	l.log, l.index, l.ring = g, index, newRing(g.slots)
	return l
}
