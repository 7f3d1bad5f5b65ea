package bundles

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// ParcelSize is how many values a parcel has places for.
const ParcelSize = 64

// A Parcel gathers values from goroutines without a slot while its one entry waits in a queue.
// Whoever takes that entry closes the parcel and takes its values.
//
// # Concurrency
//
// A parcel goes round: whoever has taken it out of a pool calls Open; whoever has popped its entry
// calls Close; anybody calls Take, once for each value; and whoever gets true from Leave puts it
// back into the pool. Any goroutine may call Put, at any time. What was done before a Put that
// returns PutDone synchronizes before the return of the Close that finds its value.
//
// # Progress
//
// Lock-free: nobody waits for a goroutine that stalls between two steps of a Put.
//
// # Cost
//
// Two read-modify-writes for each Put.
type Parcel[Of, T any] struct {
	// The word is
	//
	//	 63     8 7      6     0
	//	[ turn   |closed| places ]
	//
	//	PA1 each Open increments the turn. So the compare-and-swap that claims a place succeeds
	//	    only in the turn that was read, and only while that turn is open.
	//	PA2 of changes only while the parcel is closed: whoever reads it between the load of the
	//	    word and the compare-and-swap has read the value of that turn.
	//	PA3 whoever claimed place i writes the value and then sets marks[i] to the mark of the
	//	    turn; whoever closes sets it to that mark with markLate, unless the value is there.
	//	    The first of the two decides: either Close takes the value, or Put learns that its
	//	    caller keeps it.
	//	PA4 inside is the number of claimed places that Close found, less those that were left.
	//	    Each is left once, so exactly one Leave brings inside to zero and says that the parcel
	//	    may go; nobody touches the parcel afterwards.
	word atomics.Uint64
	of   atomics.Pointer[Of]
	_    cacheline.Pad

	values [ParcelSize]T
	marks  [ParcelSize]atomics.Uint32
	tags   *[ParcelSize]uint64 // of the values, or nil
	number uint32
	inside atomics.Int32
}

const (
	parcelClosed = 1 << 7
	parcelPlaces = parcelClosed - 1
	parcelTurn   = 1 << 8

	markLate = 1
	markTurn = 2
)

// A PutResult says what became of a Put.
type PutResult uint8

const (
	PutDone   PutResult = iota
	PutClosed           // the parcel is full, closed or has another owner by now
	PutLate             // too late for Close: the caller keeps the value, and leaves the parcel
)

// parcelMark returns the mark of a filled place in the turn of the word w.
func parcelMark(w uint64) uint32 { return uint32(w/parcelTurn) * markTurn }

// IdleParcel returns a parcel that nobody uses, or nil if as many are in use as entries can name.
func (p *Pool[Of, T]) IdleParcel() *Parcel[Of, T] {
	if x, ok := p.freeParcels.Pop(); ok {
		return x
	}
	n := p.freshParcel.Add(1) - 1
	if n >= min(entry.Limit, paged.Most()) {
		p.freshParcel.Add(^uint32(0))
		return nil
	}
	x := &Parcel[Of, T]{number: n}
	if p.tagged {
		x.tags = new([ParcelSize]uint64)
	}
	*p.parcels.Grow(n) = x
	return x
}

// ParcelAt returns the parcel with that number.
func (p *Pool[Of, T]) ParcelAt(number uint32) *Parcel[Of, T] { return *p.parcels.At(number) }

// FreeParcel takes back x, which its caller has to itself.
func (p *Pool[Of, T]) FreeParcel(x *Parcel[Of, T]) {
	x.of.Store(nil)
	p.freeParcels.Push(x)
}

// Number returns the number of the parcel in its pool.
func (p *Parcel[Of, T]) Number() uint32 { return p.number }

// Open begins a turn: the parcel belongs to of and holds v.
func (p *Parcel[Of, T]) Open(of *Of, v T, tag uint64) {
	w := p.word.Load()&^(parcelTurn-1) + parcelTurn
	if parcelMark(w) == 0 { // the marks begin again
		for i := range p.marks {
			p.marks[i].Store(0)
		}
		w += parcelTurn
	}
	p.of.Store(of)
	p.values[0] = v
	p.tag(0, tag)
	p.marks[0].Store(parcelMark(w))
	p.word.Store(w + 1) // PA5, LP(Open)
}

// Put adds v if the parcel belongs to of and is open.
func (p *Parcel[Of, T]) Put(of *Of, v T, tag uint64) PutResult {
	w, ok := p.claim(of)
	if !ok {
		return PutClosed
	}
	return p.fill(w, v, tag)
}

// claim claims the next place. It returns the word as it was before.
func (p *Parcel[Of, T]) claim(of *Of) (w uint64, ok bool) {
	for {
		w = p.word.Load()
		if w&(parcelTurn-1) >= ParcelSize || p.of.Load() != of {
			return 0, false
		}
		if p.word.CompareAndSwap(w, w+1) { // PA6, LP(Put)
			return w, true
		}
	}
}

// fill puts v into the place that the caller has claimed.
func (p *Parcel[Of, T]) fill(w uint64, v T, tag uint64) PutResult {
	i, m := w%ParcelSize, parcelMark(w)
	p.values[i] = v
	p.tag(i, tag)
	if p.marks[i].Swap(m) == m|markLate { // PA7
		var zero T
		p.values[i] = zero
		return PutLate
	}
	return PutDone
}

// Of returns the owner of the parcel, for whoever is about to close it.
func (p *Parcel[Of, T]) Of() *Of { return p.of.Load() }

// Close ends the turn. It returns the places that hold a value, each of which has to be taken once,
// and how many were claimed. Whoever takes a value, or was late, has to leave the parcel.
func (p *Parcel[Of, T]) Close(places []uint8) (filled []uint8, claimed int) {
	w := p.word.Or(parcelClosed) // PA8, LP(Close)
	claimed = int(w & parcelPlaces)
	m := parcelMark(w)
	for i := range claimed {
		if old := p.marks[i].Load(); old == m || !p.marks[i].CompareAndSwap(old, m|markLate) {
			places = append(places, uint8(i))
		}
	}
	p.inside.Add(int32(claimed))
	return places, claimed
}

// Take takes the value out of a place that Close returned.
func (p *Parcel[Of, T]) Take(place uint8) (v T, tag uint64) {
	var zero T
	v = p.values[place%ParcelSize]
	p.values[place%ParcelSize] = zero
	if p.tags != nil {
		tag = p.tags[place%ParcelSize]
	}
	return v, tag
}

// tag gives the value at a place its tag.
func (p *Parcel[Of, T]) tag(i, tag uint64) {
	if p.tags != nil {
		p.tags[i%ParcelSize] = tag
	}
}

// Leave is PA9: it says that n values were taken or late, and reports whether the parcel may go
// back to the pool.
func (p *Parcel[Of, T]) Leave(n int) (idle bool) {
	return p.inside.Add(-int32(n)) == 0 // LP(Leave)
}

// A holder that has caught up with those who put values, and takes each as it comes, takes the
// lines of the parcel from them each time. So it pauses first, as long as there is more after that,
// and rarely if not.
const (
	batchPauses = 16
	batchPays   = 4   // a pause that brings so many values pays
	batchRarely = 255 // at most so many times without a pause between two pauses
)

// WaitFor pauses before the caller closes p, as long as each pause brings more values. The courtesy
// is the caller's.
func (p *Parcel[Of, T]) WaitFor(c *cacheline.Courtesy) {
	for there := p.count(); there < ParcelSize && c.Due(); {
		atomics.Pause(batchPauses)
		now := p.count()
		c.Learn(now-there >= batchPays, batchRarely)
		if now-there < batchPays {
			return
		}
		there = now
	}
}

func (p *Parcel[Of, T]) count() int { return int(p.word.Load() & parcelPlaces) }
