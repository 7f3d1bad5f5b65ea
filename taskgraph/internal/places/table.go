package places

import (
	"math/bits"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A Table says to which G an index belongs. The zero value is ready. Any goroutine may call its
// methods. Every stretch begins with a page, and has whole pages.
type Table[G any] struct {
	pages paged.Table[atomics.Pointer[G]]
	free  [32]lockfree.Stack[uint32] // first pages of stretches, by the logarithm of their size
	fresh atomics.Uint32             // the first page that nobody has had
}

// Page is how many indices a page has.
const Page = 1 << 10

// Place gives g a stretch of n indices, and reports whether there are as many. One that is refused
// takes none: a smaller one may still have room.
func (t *Table[G]) Place(g *G, n int) (first uint32, ok bool) {
	class := classOf(n)
	page, ok := t.free[class].Pop() // P1
	if !ok {
		size := uint32(1) << class
		if page, ok = t.take(size); !ok {
			return 0, false
		}
		for p := page; p < page+size; p++ {
			t.pages.Grow(p)
		}
	}
	t.set(page, n, g) // P3
	return page * Page, true
}

// take takes so many pages that nobody has had yet.
func (t *Table[G]) take(size uint32) (page uint32, ok bool) {
	for {
		page = t.fresh.Load()
		if page+size > min(entry.Limit, paged.Most())/Page {
			return 0, false
		}
		if t.fresh.CompareAndSwap(page, page+size) { // P2
			return page, true
		}
	}
}

func (t *Table[G]) set(page uint32, n int, g *G) {
	for p := range uint32(pagesOf(n)) {
		t.pages.At(page + p).Store(g)
	}
}

// At returns what an index belongs to that was given out, or nil if it is hidden.
func (t *Table[G]) At(index uint32) *G { return t.pages.At(index / Page).Load() }

// Hide makes the stretch of n indices from first on lead to nothing.
func (t *Table[G]) Hide(first uint32, n int) { t.set(first/Page, n, nil) } // P4

// Free is Hide for a stretch of which no index is in use any more: others may be given it.
func (t *Table[G]) Free(first uint32, n int) {
	t.Hide(first, n)
	t.free[classOf(n)].Push(first / Page) // P5
}

// All yields what has a place, some more than once.
func (t *Table[G]) All(yield func(*G) bool) {
	for p := range t.fresh.Load() {
		if at := t.pages.Get(p); at != nil {
			if g := at.Load(); g != nil && !yield(g) {
				return
			}
		}
	}
}

func pagesOf(n int) int { return (n + Page - 1) / Page }

// classOf returns the binary logarithm of the size of the stretch from which n indices are taken.
func classOf(n int) int { return bits.Len(uint(pagesOf(n) - 1)) }
