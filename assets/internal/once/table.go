package once

import "github.com/heddle-go/heddle/assets/internal/trie"

// A Table has at most one entry for each key at any time. Make one with New.
//
// All methods may be called by any goroutine, and are lock-free. What Acquire does for an entry
// that is there takes no lock and allocates nothing.
type Table[K comparable, V any] struct{ entries *trie.Map[K, Entry[V]] }

// New returns an empty table.
func New[K comparable, V any]() *Table[K, V] {
	return &Table[K, V]{entries: trie.New[K, Entry[V]]()}
}

// NewHash returns an empty table that finds keys by the given hash.
func NewHash[K comparable, V any](hash func(K) uint64) *Table[K, V] {
	return &Table[K, V]{entries: trie.NewHash[K, Entry[V]](hash)}
}

// Find returns the entry of a key, or nil. The caller does not hold it, and it may be dead.
func (t *Table[K, V]) Find(key K) *Entry[V] { return t.entries.Load(key) }

// Acquire returns the entry of a key, which the caller holds from then on. If there is none, or a
// dead one, or one that stale, if that is not nil, says to be of no use, it puts one there that
// fresh has prepared, and says so: of all calls that return this entry, one does. Fresh may be
// called in vain. First says that the entry was there, and nobody held it.
func (t *Table[K, V]) Acquire(key K, fresh func(*Entry[V]),
	stale func(*V) bool) (e *Entry[V], isNew, first bool) {
	var made *Entry[V]
	for {
		old := t.entries.Load(key)
		if old != nil && (stale == nil || !stale(&old.Value)) {
			if first, ok := old.Acquire(); ok {
				return old, false, first
			}
		}
		if made == nil {
			made = newEntry[V](1)
			fresh(made)
		}
		if old == nil {
			if _, loaded := t.entries.LoadOrStore(key, made); !loaded { // LP
				return made, true, false
			}
		} else if t.entries.CompareAndSwap(key, old, made) { // LP: helps who killed it
			return made, true, false
		}
	}
}

// Replace puts an entry in the place of another, and reports whether that was there.
func (t *Table[K, V]) Replace(key K, old, e *Entry[V]) bool {
	return t.entries.CompareAndSwap(key, old, e)
}

// Remove takes an entry out of the table if it is there, and reports whether it was.
func (t *Table[K, V]) Remove(key K, e *Entry[V]) bool {
	return t.entries.CompareAndDelete(key, e)
}

// Len returns the number of entries, if nothing changes.
func (t *Table[K, V]) Len() int { return t.entries.Len() }

// All yields the entries as trie.Map.All does.
func (t *Table[K, V]) All(yield func(K, *Entry[V]) bool) { t.entries.All()(yield) }
