package turns

import "slices"

// A Work is a source of pieces of work, with goroutines that do them. All methods are called by the
// goroutine that has the turn; they must not yield or block.
type Work interface {
	// Gather adds what has come since the last call, by [Scheduler.Add].
	Gather()

	// Classes returns the set of classes of which a piece could be begun now, with a bit for each.
	Classes() uint32

	// Begin arranges that the returned actor does the piece, which has been taken out of the list.
	Begin(p Piece) *Actor

	// Unblock is called when nothing can proceed. It reports whether it has changed that, by adding
	// a goroutine for pieces for which none is free.
	Unblock() bool

	// Describe names the piece for a trace.
	Describe(p Piece) string
}

// A Piece is a piece of work that waits for a goroutine.
type Piece struct {
	Class uint8  // below 32
	Entry uint64 // of the Work's meaning
	Ref   any    // as Entry
}

// Attach adds a source of work.
func (s *Scheduler) Attach(w Work) {
	if len(s.works) == maxWorks {
		panic("turns: too many places where work lies")
	}
	s.works = append(s.works, w)
}

const maxWorks = 8

// Add adds a piece of work. It is for Gather.
func (s *Scheduler) Add(w Work, p Piece) {
	if s.trace != nil {
		s.Note(s.current.name() + " readies " + w.Describe(p))
	}
	s.items = append(s.items, item{work: w, piece: p, rank: s.choice.rank()})
}

// Remove takes the newest piece of that entry, if it is one of the given classes, a bit each, out
// of the list, and reports whether there was one.
func (s *Scheduler) Remove(w Work, classes uint32, entry uint64) (p Piece, ok bool) {
	for i := len(s.items) - 1; i >= 0; i-- {
		if it := &s.items[i]; it.work == w && it.piece.Entry == entry &&
			classes>>it.piece.Class&1 != 0 {
			return s.removeItem(i).piece, true
		}
	}
	return Piece{}, false
}

// RemoveFirst takes the oldest piece of the given classes, a bit each, out of the list, and reports
// whether there was one.
func (s *Scheduler) RemoveFirst(w Work, classes uint32) (p Piece, ok bool) {
	for i := range s.items {
		if it := &s.items[i]; it.work == w && classes>>it.piece.Class&1 != 0 {
			return s.removeItem(i).piece, true
		}
	}
	return Piece{}, false
}

// RemoveAll takes all pieces of the given classes out of the list, the oldest first.
func (s *Scheduler) RemoveAll(w Work, classes uint32) (pieces []Piece) {
	s.items = slices.DeleteFunc(s.items, func(it item) bool {
		if it.work != w || classes>>it.piece.Class&1 == 0 {
			return false
		}
		pieces = append(pieces, it.piece)
		return true
	})
	return pieces
}

func (s *Scheduler) removeItem(i int) item {
	it := s.items[i]
	s.items = slices.Delete(s.items, i, i+1)
	return it
}
