package namedthread

import (
	"strings"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A Registry holds up to [MaxThreads] threads, each under a name and an index of its own. Both
// are free again when the thread has ended.
//
// The zero Registry is empty and ready. It must not be copied after first use.
//
// # Concurrency
//
// Every method may be called by any goroutine. Attach and Start of a thread synchronize before
// each Lookup, At or Threads that finds it.
//
// # Progress
//
// Lookup, At and Threads are wait-free. Attach is lock-free. Start waits until the new thread
// has begun.
//
// # Cost
//
// Lookup is one load and a look into a map, At one load. Each thread that comes or goes copies
// the registry.
//
// # Linearizability
//
// Each method sees or makes one state of the whole registry.
type Registry struct {
	threads atomics.Pointer[roster] // nil: empty; a roster never changes once it is here
}

// A roster is one state of a registry.
type roster struct {
	byName  map[string]*Thread
	byIndex []*Thread // nil where an index is free
	used    []uint32  // by index: the generation of the thread that had it last
}

// NewRegistry returns an empty Registry.
func NewRegistry() *Registry { return new(Registry) }

// Lookup returns the thread of that name, if there is one.
func (r *Registry) Lookup(name string) (*Thread, bool) {
	t, ok := r.load().byName[name]
	return t, ok
}

// At returns the thread of that index, if there is one.
func (r *Registry) At(index int) (*Thread, bool) {
	if all := r.load().byIndex; index >= 0 && index < len(all) && all[index] != nil {
		return all[index], true
	}
	return nil, false
}

// Threads returns the threads in the order of their indices.
func (r *Registry) Threads() []*Thread {
	all := r.load()
	list := make([]*Thread, 0, len(all.byName))
	for _, t := range all.byIndex {
		if t != nil {
			list = append(list, t)
		}
	}
	return list
}

func (r *Registry) load() roster {
	if all := r.threads.Load(); all != nil {
		return *all
	}
	return roster{}
}

// add enters t under its name and the lowest free index (R1), and gives it that index and its next
// generation (R2).
func (r *Registry) add(t *Thread) error {
	if t.name == "" || strings.IndexByte(t.name, 0) >= 0 {
		return ErrName
	}
	for {
		old := r.threads.Load()
		all := old.copy()
		if all.byName[t.name] != nil {
			return ErrNameTaken
		}
		if len(all.byName) == MaxThreads {
			return ErrRegistryFull
		}
		t.index = 0
		for t.index < len(all.byIndex) && all.byIndex[t.index] != nil {
			t.index++
		}
		if t.index == len(all.byIndex) {
			all.byIndex = append(all.byIndex, nil)
			all.used = append(all.used, 0)
		}
		t.generation = all.used[t.index]%generations + 1
		all.used[t.index] = t.generation
		all.byIndex[t.index] = t
		all.byName[t.name] = t
		if r.threads.CompareAndSwap(old, all) { // LP(add)
			return nil
		}
	}
}

// remove frees the name and the index of t, see R3.
func (r *Registry) remove(t *Thread) {
	for {
		old := r.threads.Load()
		all := old.copy()
		delete(all.byName, t.name)
		all.byIndex[t.index] = nil
		if r.threads.CompareAndSwap(old, all) { // LP(remove)
			return
		}
	}
}

// copy returns a roster that may be changed; s may be nil.
func (s *roster) copy() *roster {
	c := &roster{byName: map[string]*Thread{}}
	if s != nil {
		for name, t := range s.byName {
			c.byName[name] = t
		}
		c.byIndex = append(c.byIndex, s.byIndex...)
		c.used = append(c.used, s.used...)
	}
	return c
}
