package trie

import (
	"hash/maphash"
	"iter"

	"github.com/heddle-go/heddle/internal/atomics"
)

const (
	bits   = 4
	fanout = 1 << bits
)

// A Map maps keys to pointers, which are not nil. Make one with New.
//
// # Concurrency
//
// All methods may be called by any goroutine. What was done before a pointer was put synchronizes
// before the return of whatever finds it.
//
// # Progress
//
// Lock-free; Load is wait-free, for a trie is as deep as the bits of a hash allow.
//
// # Cost
//
// Load allocates nothing. A change makes a node, and branches where two hashes begin alike.
// Branches are not taken away again: a Map is as large as it ever was, without its values.
//
// # Linearizability
//
// Each method but All takes effect at one step of one slot.
type Map[K comparable, V any] struct {
	// A hash trie after Prokopec, Bronson, Bagwell, Odersky, "Concurrent Tries with Efficient
	// Non-Blocking Snapshots", PPoPP 2012, without snapshots and without contraction.
	//
	//	root [ . . b . . n . . ]
	//	           |     |
	//	           |     leaf: keys of one hash, a list that is never changed
	//	           branch [ . n . . . ]
	//
	//	T1 A node is never changed once it is in a slot.
	//	T2 A slot with a branch has that branch for good.
	//	T3 A slot with a leaf changes only by a compare-and-swap from that leaf, so what was read
	//	   from it still holds when the change takes effect: nodes are not used again while
	//	   somebody has them.
	root branch[K, V]
	hash func(K) uint64
	n    atomics.Int64
}

type branch[K comparable, V any] struct {
	slots [fanout]atomics.Pointer[node[K, V]]
}

// A node is a branch, or one key of a leaf, whose others follow.
type node[K comparable, V any] struct {
	branch *branch[K, V]
	hash   uint64
	key    K
	value  *V
	next   *node[K, V]
}

// New returns an empty map.
func New[K comparable, V any]() *Map[K, V] {
	seed := maphash.MakeSeed()
	return NewHash[K, V](func(k K) uint64 { return maphash.Comparable(seed, k) })
}

// NewHash returns an empty map that finds keys by the given hash.
func NewHash[K comparable, V any](hash func(K) uint64) *Map[K, V] {
	return &Map[K, V]{hash: hash}
}

// Len returns the number of keys at some moment, if nothing changes.
func (m *Map[K, V]) Len() int { return int(m.n.Load()) }

// Load returns what a key is mapped to, or nil.
func (m *Map[K, V]) Load(key K) *V {
	h := m.hash(key)
	_, n, _ := m.find(h)
	return n.get(h, key) // LP: the load of the slot in find
}

// LoadOrStore returns what the key is mapped to, or maps it to value if it is to nothing.
func (m *Map[K, V]) LoadOrStore(key K, value *V) (actual *V, loaded bool) {
	old, done := m.change(key, value, func(old *V) bool { return old == nil })
	if !done {
		return old, true
	}
	return value, false
}

// Store maps key to value and returns what it was mapped to before, or nil.
func (m *Map[K, V]) Store(key K, value *V) (old *V) {
	old, _ = m.change(key, value, func(*V) bool { return true })
	return old
}

// CompareAndSwap maps key to value if it is mapped to old, which is not nil, and reports whether it
// did.
func (m *Map[K, V]) CompareAndSwap(key K, old, value *V) bool {
	_, done := m.change(key, value, func(now *V) bool { return now == old })
	return done
}

// CompareAndDelete removes key if it is mapped to old, which is not nil, and reports whether it
// did.
func (m *Map[K, V]) CompareAndDelete(key K, old *V) bool {
	_, done := m.change(key, nil, func(now *V) bool { return now == old })
	return done
}

// Delete removes key and returns what it was mapped to, or nil.
func (m *Map[K, V]) Delete(key K) (old *V) {
	old, _ = m.change(key, nil, func(now *V) bool { return now != nil })
	return old
}

// All yields the keys and what they are mapped to, in no certain order. Of what changes meanwhile
// it yields the state before or after.
func (m *Map[K, V]) All() iter.Seq2[K, *V] {
	return func(yield func(K, *V) bool) { m.root.all(yield) }
}

func (b *branch[K, V]) all(yield func(K, *V) bool) bool {
	for i := range b.slots {
		n := b.slots[i].Load()
		if n != nil && n.branch != nil {
			if !n.branch.all(yield) {
				return false
			}
			continue
		}
		for ; n != nil; n = n.next {
			if !yield(n.key, n.value) {
				return false
			}
		}
	}
	return true
}

// find returns the slot for a hash, its leaf or nil, and by how far the hash has been used up.
func (m *Map[K, V]) find(h uint64) (*atomics.Pointer[node[K, V]], *node[K, V], uint) {
	b := &m.root
	for shift := uint(0); ; shift += bits {
		slot := &b.slots[h>>shift%fanout]
		n := slot.Load()
		if n == nil || n.branch == nil {
			return slot, n, shift
		}
		b = n.branch
	}
}

// get returns the value of a key in a leaf.
func (n *node[K, V]) get(h uint64, key K) *V {
	for ; n != nil; n = n.next {
		if n.hash == h && n.key == key {
			return n.value
		}
	}
	return nil
}

// change maps key to value, or to nothing if value is nil, if may says so of what it is mapped to.
// It returns that, and whether it made the change.
func (m *Map[K, V]) change(key K, value *V, may func(old *V) bool) (old *V, done bool) {
	h := m.hash(key)
	for {
		slot, leaf, shift := m.find(h)
		old = leaf.get(h, key)
		if !may(old) {
			return old, false
		}
		var to *node[K, V]
		switch {
		case leaf != nil && leaf.hash != h && value != nil: // T1: the leaf moves down as it is
			to = fork(leaf, &node[K, V]{hash: h, key: key, value: value}, shift+bits)
		default:
			to = leaf.without(key)
			if value != nil {
				to = &node[K, V]{hash: h, key: key, value: value, next: to}
			}
		}
		if slot.CompareAndSwap(leaf, to) { // LP, T3
			if old == nil {
				m.n.Add(1)
			} else if value == nil {
				m.n.Add(-1)
			}
			return old, true
		}
	}
}

// without returns a leaf without a key, which may not be in it.
func (n *node[K, V]) without(key K) *node[K, V] {
	if n == nil {
		return nil
	}
	if n.key == key {
		return n.next
	}
	rest := n.next.without(key)
	if rest == n.next {
		return n
	}
	return &node[K, V]{hash: n.hash, key: n.key, value: n.value, next: rest}
}

// fork returns a node of branches that holds two leaves of different hashes.
func fork[K comparable, V any](a, b *node[K, V], shift uint) *node[K, V] {
	down := new(branch[K, V])
	i, j := a.hash>>shift%fanout, b.hash>>shift%fanout
	if i == j {
		down.slots[i].Store(fork(a, b, shift+bits))
	} else {
		down.slots[i].Store(a)
		down.slots[j].Store(b)
	}
	return &node[K, V]{branch: down}
}
