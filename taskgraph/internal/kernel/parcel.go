package kernel

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// ParcelSize is how many values a parcel has places for.
const ParcelSize = 64

// A Parcel gathers what goroutines without a slot bring, for as long as its one entry waits in a queue. Whoever
// takes that entry closes the parcel and takes what it holds.
//
// # Concurrency
//
// A parcel goes round: Open, by whoever has taken it out of a pool; Close, by the one who has popped its entry; Take,
// for each value, by anybody; and back into the pool, by whom Leave tells so. Any goroutine may call Put, at any time. What was
// done before a Put that returns PutDone synchronizes before the return of the Close that finds its value.
//
// # Progress
//
// Lock-free: nobody waits for one who stands still between two steps of a Put.
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
	//	PA1 the turn grows at each Open. So a place is claimed, by the swap that counts it, only in the
	//	    turn that the word had when it was read, and no more once that is closed.
	//	PA2 of is changed while the parcel is closed only: who reads it between the load of the word and
	//	    its swap has read that of his turn.
	//	PA3 marks[i] becomes that of the turn by the one who claimed place i, after the value is there,
	//	    or the same with markLate, by the one who closes; each if the other has not been first. So
	//	    either Close takes the value, or Put is told that it keeps it.
	//	PA4 inside is the number of places that Close has found claimed, less those that were left. As
	//	    each is left once, it is zero after the last of these steps and, in between, only before the
	//	    first: so one Leave says that the parcel may go, and nobody touches it after that.
	word atomics.Uint64
	of   atomics.Pointer[Of]
	_    cacheline.Pad

	values [ParcelSize]T
	marks  [ParcelSize]atomics.Uint32
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
	PutClosed           // the parcel is full, closed or another one's by now
	PutLate             // counted, but Close did not wait: the caller keeps the value, and leaves the parcel
)

// parcelMark returns the mark of a filled place in the turn of the word w.
func parcelMark(w uint64) uint32 { return uint32(w/parcelTurn) * markTurn }

// Open begins a turn: the parcel is of's, and holds v.
func (p *Parcel[Of, T]) Open(of *Of, v T) {
	w := p.word.Load()&^(parcelTurn-1) + parcelTurn
	if parcelMark(w) == 0 { // the marks begin again
		for i := range p.marks {
			p.marks[i].Store(0)
		}
		w += parcelTurn
	}
	p.of.Store(of)
	p.values[0] = v
	p.marks[0].Store(parcelMark(w))
	p.word.Store(w + 1) // PA5, LP(Open)
}

// Put adds v if the parcel is of's and open.
func (p *Parcel[Of, T]) Put(of *Of, v T) PutResult {
	w, ok := p.claim(of)
	if !ok {
		return PutClosed
	}
	return p.fill(w, v)
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

// fill puts v where the caller has claimed a place.
func (p *Parcel[Of, T]) fill(w uint64, v T) PutResult {
	i, m := w%ParcelSize, parcelMark(w)
	p.values[i] = v
	if p.marks[i].Swap(m) == m|markLate { // PA7
		var zero T
		p.values[i] = zero
		return PutLate
	}
	return PutDone
}

// Of returns whose the parcel is, to the one who is about to close it.
func (p *Parcel[Of, T]) Of() *Of { return p.of.Load() }

// Close ends the turn. It returns the places that hold a value, of which each is to be taken once, and how many were
// claimed. All who claimed one, and all who take, have to leave the parcel.
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
func (p *Parcel[Of, T]) Take(place uint8) T {
	var zero T
	v := p.values[place%ParcelSize]
	p.values[place%ParcelSize] = zero
	return v
}

// Leave is PA9: it says that n values were taken, or that one was late, and reports whether the
// parcel may go back to the pool.
func (p *Parcel[Of, T]) Leave(n int) (idle bool) { return p.inside.Add(-int32(n)) == 0 } // LP(Leave)

// Forget drops whose the parcel was, before it goes back to the pool.
func (p *Parcel[Of, T]) Forget() { p.of.Store(nil) }

// WaitFor gives those who put values into p, which the holder of s is about to close, a moment to bring more, as long as
// more come in such moments.
func (p *Parcel[Of, T]) WaitFor(s *Slot) {
	for there := p.count(); there < ParcelSize && s.gathering.Due(); {
		atomics.Pause(batchPauses)
		now := p.count()
		s.gathering.Learn(now-there >= batchPays, batchRarely)
		if now-there < batchPays {
			return
		}
		there = now
	}
}

func (p *Parcel[Of, T]) count() int { return int(p.word.Load() & parcelPlaces) }
