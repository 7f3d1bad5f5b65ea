package debug

import (
	"slices"
	"sync"
	"time"
)

// Failures keeps the last failures of a system, for the page. Its Add is for Options.OnFailure:
//
//	var failures debug.Failures
//	sys := taskgraph.Start(taskgraph.Options{OnFailure: failures.Add})
//	mux.Handle("/debug/heddle/", &debug.Handler{System: sys, Failures: &failures})
//
// The zero value is usable, by any number of goroutines.
type Failures struct {
	mu   sync.Mutex
	last []Failure // a ring, once it is full
	next int
	n    uint64
}

// A Failure is one task that failed by its own body.
type Failure struct {
	At   time.Time // when OnFailure was called
	Task string    // its name
	Err  error     // what its body returned, or its panic
}

// keptFailures is how many failures are kept.
const keptFailures = 64

// Add notes that the task of that name has failed. It takes a lock, which nobody holds for longer
// than it takes to copy what is kept.
func (f *Failures) Add(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	x := Failure{time.Now(), name, err}
	if len(f.last) < keptFailures {
		f.last = append(f.last, x)
		return
	}
	f.last[f.next] = x
	f.next = (f.next + 1) % keptFailures
}

// Last returns the failures that are kept, the newest first, and how many there were in all.
func (f *Failures) Last() (last []Failure, all uint64) {
	if f == nil {
		return nil, 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	last = append(slices.Clone(f.last[f.next:]), f.last[:f.next]...)
	slices.Reverse(last)
	return last, f.n
}
