package bundles

import "github.com/heddle-go/heddle/internal/atomics"

// BundleSize is how many values a bundle has places for.
const BundleSize = 64

// A Bundle is a stack of values behind one entry of a deque, so that the holder of a slot need not
// queue each value by itself. Thieves can reach all of it: whoever takes the entry may take all
// values.
//
// Its home is the Bundles of the slot whose holder alone fills it. A bundle without a home holds a
// single value.
type Bundle[Of, T any] struct {
	// The word is
	//
	//	 31     8 7     0
	//	[ places | count ]	places left for a Put, values in the bundle
	//
	//	B1 while the entry is queued the count is at least one: Top does not take the last value.
	//	B2 only home writes values at the count and above; whoever takes all values writes those
	//	   below it.
	//	B3 once others have taken all values, the bundle has neither places nor values until home
	//	   opens it again. Home never puts values into a bundle that it has emptied.
	//	B4 home opens only idle bundles: those that it emptied itself or that others have given
	//	   back.
	//	B5 home and of change only while the bundle is empty.
	//
	// A turn has BundleSize places in all, so that a value has a place however Put and Top
	// alternate.
	word   atomics.Uint32
	number uint32
	home   atomics.Pointer[Bundles[Of, T]]
	of     atomics.Pointer[Of]
	next   *Bundle[Of, T] // in a list of idle ones
	values []T            // BundleSize places, or one

	tags *[BundleSize]uint64 // of the values, or nil: see Pool.Tag
}

const (
	bundlePlace = 1 << 8
	bundleCount = bundlePlace - 1
)

// Number returns the number of the bundle in its pool.
func (b *Bundle[Of, T]) Number() uint32 { return b.number }

// Of returns the owner of the values. The caller holds the entry or has it in its deque.
func (b *Bundle[Of, T]) Of() *Of { return b.of.Load() }

// open begins a turn with the value v, and with places for more.
func (b *Bundle[Of, T]) open(v T, tag uint64) {
	b.values[0] = v
	b.tag(0, tag)
	b.word.Store((BundleSize-1)*bundlePlace + 1) // B6, LP(Open)
}

// fill begins a turn with the values vs, the first to be taken first, and without places for more.
func (b *Bundle[Of, T]) fill(vs []T, tags []uint64) {
	for i, v := range vs {
		b.values[len(vs)-1-i] = v
	}
	for i, tag := range tags {
		b.tag(uint32(len(vs)-1-i), tag)
	}
	b.word.Store(uint32(len(vs))) // LP(Fill)
}

// tag gives the value at a place its tag.
func (b *Bundle[Of, T]) tag(i uint32, tag uint64) {
	if b.tags != nil {
		b.tags[i%BundleSize] = tag
	}
}

// tagOf returns the tag of the value at a place.
func (b *Bundle[Of, T]) tagOf(i uint32) uint64 {
	if b.tags == nil {
		return 0
	}
	return b.tags[i%BundleSize]
}

func (b *Bundle[Of, T]) put(v T, tag uint64) bool {
	w := b.word.Load()
	if w < bundlePlace {
		return false
	}
	at := &b.values[w&bundleCount]
	*at = v
	b.tag(w, tag)
	if b.word.CompareAndSwap(w, w-bundlePlace+1) { // B7, LP(Put)
		return true
	}
	var zero T
	*at = zero
	return false
}

// takeTop takes the newest value, unless it is the last one or all values were taken.
func (b *Bundle[Of, T]) takeTop() (v T, tag uint64, ok bool) {
	w := b.word.Load()
	if w&bundleCount < 2 || !b.word.CompareAndSwap(w, w-1) { // B8, LP(Top)
		return v, 0, false
	}
	return b.remove(w - 1), b.tagOf(w - 1), true
}

// takeOwn takes the newest value, for home, which has popped the entry. It returns how many are
// left. If none is left the turn is over, and unused is the number of places that no Put has used.
func (b *Bundle[Of, T]) takeOwn() (v T, tag uint64, left, unused int) {
	w := b.word.Load()
	left, unused = int(w&bundleCount)-1, int(w/bundlePlace)
	tag = b.tagOf(w - 1)
	if left > 0 {
		b.word.Store(w - 1) // B9
	}
	return b.remove(w - 1), tag, left, unused
}

func (b *Bundle[Of, T]) remove(i uint32) T {
	var zero T
	at := &b.values[i&bundleCount]
	v := *at
	*at = zero
	return v
}

// takeAll appends all values to buf, the oldest first, and copies the tags of all but the oldest to
// tags, for a caller that has popped the entry and is not home. It returns the oldest one's tag.
// This ends the turn; unused is the number of places that no Put has used.
func (b *Bundle[Of, T]) takeAll(buf []T, tags []uint64) (vs []T, tag uint64, unused int) {
	w := b.word.Swap(0) // B10, LP(TakeAll)
	there := b.values[:w&bundleCount]
	buf = append(buf, there...)
	clear(there)
	if b.tags != nil {
		copy(tags, b.tags[1:max(1, w&bundleCount)])
	}
	return buf, b.tagOf(0), int(w / bundlePlace)
}
