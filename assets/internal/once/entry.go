package once

import "github.com/heddle-go/heddle/internal/atomics"

// A count says how many hold an entry, or the entries of a knot.
//
//	63     62      61               0
//	[ dead | moved |  holders, bias  ]
type count struct{ word atomics.Uint64 }

const (
	dead  = 1 << 63
	moved = 1 << 62
	// bias keeps a count that is being put together above 0 until it is whole.
	bias = 1 << 40
)

// An Entry is one life of a thing in a Table. It is held until it is killed, which is possible
// only while nobody holds it.
type Entry[V any] struct {
	// Value is the thing, which belongs to the user of the Table.
	Value V

	// H1 The count of an entry that is not dead is the number of those who hold it or another
	//    entry of its knot, and is not dead.
	// H2 A dead count never changes again.
	// H3 count is set to another one before the old one is marked as moved; a count that was moved
	//    never changes again. So who finds the mark finds the new one at the next look.
	count atomics.Pointer[count]
}

func newEntry[V any](holders uint64) *Entry[V] {
	e := new(Entry[V])
	c := new(count)
	c.word.Store(holders)
	e.count.Store(c)
	return e
}

// NewEntry returns an entry in no table, which the caller holds.
func NewEntry[V any]() *Entry[V] { return newEntry[V](1) }

// Acquire holds the entry, unless it is dead. First says that nobody held it before.
func (e *Entry[V]) Acquire() (first, ok bool) {
	for {
		c := e.count.Load()
		w := c.word.Load()
		switch {
		case w&moved != 0: // H3
		case w&dead != 0:
			return false, false
		case c.word.CompareAndSwap(w, w+1): // LP
			return w == 0, true
		}
	}
}

// Release gives up one hold. Last says that nobody holds the entry now. It panics if nobody did.
func (e *Entry[V]) Release() (last bool) {
	for {
		c := e.count.Load()
		w := c.word.Load()
		switch {
		case w&moved != 0: // H3
		case w == 0 || w&dead != 0:
			panic("once: released more often than held")
		case c.word.CompareAndSwap(w, w-1): // LP
			return w == 1
		}
	}
}

// Kill ends the entry, and those of its knot, if nobody holds it, and reports whether it did.
func (e *Entry[V]) Kill() bool {
	for {
		c := e.count.Load()
		w := c.word.Load()
		switch {
		case w&moved != 0: // H3
		case w != 0:
			return false
		case c.word.CompareAndSwap(0, dead): // LP
			return true
		}
	}
}

// Dead reports whether the entry has been killed.
func (e *Entry[V]) Dead() bool { return e.load() == dead }

// Held returns how many hold the entry or one of its knot at some moment.
func (e *Entry[V]) Held() int { return int(e.load() &^ dead) }

func (e *Entry[V]) load() uint64 {
	for {
		if w := e.count.Load().word.Load(); w&moved == 0 {
			return w
		}
	}
}

// Merge makes a knot of entries, and takes off so many holds that they have on each other. If some
// are in knots, all the entries of these must be given. No other Merge or Kill of them may take
// place meanwhile, and none may be dead. It reports whether nobody holds the knot.
func Merge[V any](entries []*Entry[V], inner int) (free bool) {
	var old []*count
	to := new(count)
	to.word.Store(bias) // no Release takes it to 0 before it is whole
	for _, e := range entries {
		if c := e.count.Swap(to); len(old) == 0 || old[len(old)-1] != c { // H3: first this
			old = append(old, c)
		}
	}
	for _, c := range old {
		if w := c.word.Swap(moved); w&moved == 0 { // H3: then this
			to.word.Add(w)
		}
	}
	return to.word.Add(-(bias + uint64(inner))) == 0 // H1
}
