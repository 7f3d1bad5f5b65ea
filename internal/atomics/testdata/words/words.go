// Package words has every operation of every shared word, in concrete code and in generic
// code. The test of the machine code compiles it over sync/atomic as it stands, and over
// others by a change of the import path.
package words

import "sync/atomic"

func BoolLoad(p *atomic.Bool) bool                        { return p.Load() }
func BoolStore(p *atomic.Bool, v bool)                    { p.Store(v) }
func BoolSwap(p *atomic.Bool, v bool) bool                { return p.Swap(v) }
func BoolCompareAndSwap(p *atomic.Bool, old, v bool) bool { return p.CompareAndSwap(old, v) }

func Int32Load(p *atomic.Int32) int32                        { return p.Load() }
func Int32Store(p *atomic.Int32, v int32)                    { p.Store(v) }
func Int32Swap(p *atomic.Int32, v int32) int32               { return p.Swap(v) }
func Int32CompareAndSwap(p *atomic.Int32, old, v int32) bool { return p.CompareAndSwap(old, v) }
func Int32Add(p *atomic.Int32, v int32) int32                { return p.Add(v) }
func Int32And(p *atomic.Int32, v int32) int32                { return p.And(v) }
func Int32Or(p *atomic.Int32, v int32) int32                 { return p.Or(v) }
func Int32AndNoResult(p *atomic.Int32, v int32)              { p.And(v) }
func Int32OrNoResult(p *atomic.Int32, v int32)               { p.Or(v) }

func Int64Load(p *atomic.Int64) int64                        { return p.Load() }
func Int64Store(p *atomic.Int64, v int64)                    { p.Store(v) }
func Int64Swap(p *atomic.Int64, v int64) int64               { return p.Swap(v) }
func Int64CompareAndSwap(p *atomic.Int64, old, v int64) bool { return p.CompareAndSwap(old, v) }
func Int64Add(p *atomic.Int64, v int64) int64                { return p.Add(v) }
func Int64And(p *atomic.Int64, v int64) int64                { return p.And(v) }
func Int64Or(p *atomic.Int64, v int64) int64                 { return p.Or(v) }
func Int64AndNoResult(p *atomic.Int64, v int64)              { p.And(v) }
func Int64OrNoResult(p *atomic.Int64, v int64)               { p.Or(v) }

func Uint32Load(p *atomic.Uint32) uint32                        { return p.Load() }
func Uint32Store(p *atomic.Uint32, v uint32)                    { p.Store(v) }
func Uint32Swap(p *atomic.Uint32, v uint32) uint32              { return p.Swap(v) }
func Uint32CompareAndSwap(p *atomic.Uint32, old, v uint32) bool { return p.CompareAndSwap(old, v) }
func Uint32Add(p *atomic.Uint32, v uint32) uint32               { return p.Add(v) }
func Uint32And(p *atomic.Uint32, v uint32) uint32               { return p.And(v) }
func Uint32Or(p *atomic.Uint32, v uint32) uint32                { return p.Or(v) }
func Uint32AndNoResult(p *atomic.Uint32, v uint32)              { p.And(v) }
func Uint32OrNoResult(p *atomic.Uint32, v uint32)               { p.Or(v) }

func Uint64Load(p *atomic.Uint64) uint64                        { return p.Load() }
func Uint64Store(p *atomic.Uint64, v uint64)                    { p.Store(v) }
func Uint64Swap(p *atomic.Uint64, v uint64) uint64              { return p.Swap(v) }
func Uint64CompareAndSwap(p *atomic.Uint64, old, v uint64) bool { return p.CompareAndSwap(old, v) }
func Uint64Add(p *atomic.Uint64, v uint64) uint64               { return p.Add(v) }
func Uint64And(p *atomic.Uint64, v uint64) uint64               { return p.And(v) }
func Uint64Or(p *atomic.Uint64, v uint64) uint64                { return p.Or(v) }
func Uint64AndNoResult(p *atomic.Uint64, v uint64)              { p.And(v) }
func Uint64OrNoResult(p *atomic.Uint64, v uint64)               { p.Or(v) }

func UintptrLoad(p *atomic.Uintptr) uintptr            { return p.Load() }
func UintptrStore(p *atomic.Uintptr, v uintptr)        { p.Store(v) }
func UintptrSwap(p *atomic.Uintptr, v uintptr) uintptr { return p.Swap(v) }
func UintptrCompareAndSwap(p *atomic.Uintptr, old, v uintptr) bool {
	return p.CompareAndSwap(old, v)
}
func UintptrAdd(p *atomic.Uintptr, v uintptr) uintptr { return p.Add(v) }
func UintptrAnd(p *atomic.Uintptr, v uintptr) uintptr { return p.And(v) }
func UintptrOr(p *atomic.Uintptr, v uintptr) uintptr  { return p.Or(v) }
func UintptrAndNoResult(p *atomic.Uintptr, v uintptr) { p.And(v) }
func UintptrOrNoResult(p *atomic.Uintptr, v uintptr)  { p.Or(v) }

func PointerLoad(p *atomic.Pointer[Fields]) *Fields            { return p.Load() }
func PointerStore(p *atomic.Pointer[Fields], v *Fields)        { p.Store(v) }
func PointerSwap(p *atomic.Pointer[Fields], v *Fields) *Fields { return p.Swap(v) }
func PointerCompareAndSwap(p *atomic.Pointer[Fields], old, v *Fields) bool {
	return p.CompareAndSwap(old, v)
}

// Fields are words inside a struct, as they are in use.
type Fields struct {
	Bool    atomic.Bool
	Int32   atomic.Int32
	Int64   atomic.Int64
	Uint32  atomic.Uint32
	Uint64  atomic.Uint64
	Uintptr atomic.Uintptr
	next    atomic.Pointer[Fields]
	many    [4]atomic.Uint64
}

// Loop walks and counts until a compare-and-swap succeeds.
func (f *Fields) Loop(limit uint64) (n uint64) {
	for i := range f.many {
		for {
			old := f.many[i].Load()
			if old >= limit || f.Bool.Load() {
				break
			}
			if f.many[i].CompareAndSwap(old, old+1) {
				n += f.Uint64.Add(1)
				break
			}
			f.Int32.Add(-1)
		}
	}
	for next := f.next.Load(); next != nil; next = next.next.Load() {
		next.Uint32.Or(1)
		next.Bool.Store(true)
	}
	return n
}

// A Node is linked into a Stack.
type Node[T any] struct {
	next  atomic.Pointer[Node[T]]
	value T
}

// A Stack is a lock-free list whose links are generic.
type Stack[T any] struct {
	last  T // what lies before the words, so that their place depends on T
	head  atomic.Pointer[Node[T]]
	count atomic.Uint64
	words Fields
}

func (s *Stack[T]) Push(v T) {
	n := &Node[T]{value: v}
	for {
		old := s.head.Load()
		n.next.Store(old)
		if s.head.CompareAndSwap(old, n) {
			s.count.Add(1)
			return
		}
	}
}

func (s *Stack[T]) Pop() (v T, ok bool) {
	for {
		old := s.head.Load()
		if old == nil {
			return v, false
		}
		if s.head.CompareAndSwap(old, old.next.Load()) {
			s.count.Add(^uint64(0))
			return old.value, true
		}
	}
}

func (s *Stack[T]) PopAll() *Node[T] { return s.head.Swap(nil) }

// Words uses every operation of every other word in generic code.
func (s *Stack[T]) Words(v T) T {
	w := &s.words
	for !w.Bool.Load() {
		w.Bool.Store(w.Bool.Swap(true))
		if w.Bool.CompareAndSwap(false, true) {
			s.last = v
		}
		if x := w.Int32.Load() + w.Int32.Swap(1) + w.Int32.Add(2) + w.Int32.And(3) +
			w.Int32.Or(4); w.Int32.CompareAndSwap(x, 5) {
			w.Int32.Store(x)
			w.Int32.And(6)
			w.Int32.Or(7)
		}
		if x := w.Int64.Load() + w.Int64.Swap(1) + w.Int64.Add(2) + w.Int64.And(3) +
			w.Int64.Or(4); w.Int64.CompareAndSwap(x, 5) {
			w.Int64.Store(x)
			w.Int64.And(6)
			w.Int64.Or(7)
		}
		if x := w.Uint32.Load() + w.Uint32.Swap(1) + w.Uint32.Add(2) + w.Uint32.And(3) +
			w.Uint32.Or(4); w.Uint32.CompareAndSwap(x, 5) {
			w.Uint32.Store(x)
			w.Uint32.And(6)
			w.Uint32.Or(7)
		}
		if x := w.Uint64.Load() + w.Uint64.Swap(1) + w.Uint64.Add(2) + w.Uint64.And(3) +
			w.Uint64.Or(4); w.Uint64.CompareAndSwap(x, 5) {
			w.Uint64.Store(x)
			w.Uint64.And(6)
			w.Uint64.Or(7)
		}
		if x := w.Uintptr.Load() + w.Uintptr.Swap(1) + w.Uintptr.Add(2) + w.Uintptr.And(3) +
			w.Uintptr.Or(4); w.Uintptr.CompareAndSwap(x, 5) {
			w.Uintptr.Store(x)
			w.Uintptr.And(6)
			w.Uintptr.Or(7)
		}
	}
	return s.last
}

// A Ring holds integers in words, like the slots of a deque.
type Ring[T ~uint32 | ~uint64 | ~uintptr] struct {
	top, bottom atomic.Uint64
	slots       [8]atomic.Uintptr
}

func (r *Ring[T]) Push(v T) bool {
	b := r.bottom.Load()
	if b-r.top.Load() >= uint64(len(r.slots)) {
		return false
	}
	r.slots[b%8].Store(uintptr(v))
	r.bottom.Store(b + 1)
	return true
}

func (r *Ring[T]) Steal() (v T, ok bool) {
	for {
		t := r.top.Load()
		if t >= r.bottom.Load() {
			return 0, false
		}
		v = T(r.slots[t%8].Load())
		if r.top.CompareAndSwap(t, t+1) {
			return v, true
		}
	}
}

// Publish is a generic function on a word of its own type argument.
func Publish[T any](p *atomic.Pointer[T], flag *atomic.Bool, v T) *T {
	old := p.Swap(&v)
	flag.Store(true)
	for !p.CompareAndSwap(old, &v) {
		old = p.Load()
	}
	return old
}

// Large is a type argument that is neither a pointer nor a number.
type Large struct {
	a, b uint64
	p    *int
}

// The generic code, once for each shape.
var (
	_ Stack[*int]
	_ Stack[uint32]
	_ Stack[Large]

	_ = []any{
		(*Stack[*int]).Push, (*Stack[*int]).Pop, (*Stack[*int]).PopAll, (*Stack[*int]).Words,
		(*Stack[uint32]).Push, (*Stack[uint32]).Pop, (*Stack[uint32]).PopAll,
		(*Stack[uint32]).Words,
		(*Stack[Large]).Push, (*Stack[Large]).Pop, (*Stack[Large]).PopAll, (*Stack[Large]).Words,
		(*Ring[uint32]).Push, (*Ring[uint32]).Steal,
		(*Ring[uintptr]).Push, (*Ring[uintptr]).Steal,
		Publish[*int], Publish[uint32], Publish[Large],
	}
)
