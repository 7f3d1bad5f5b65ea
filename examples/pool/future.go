package main

import "github.com/heddle-go/heddle/lockfree"

// A Future is a value that arrives later. The zero Future is ready for use.
type Future[T any] struct {
	waiting lockfree.ClosableList[func(T)]
	value   T // written before waiting is closed, and not again
}

// OnDone calls f with the value: at once if the value is there, and otherwise when Resolve is
// called, on its goroutine and in the order of registration.
func (f *Future[T]) OnDone(call func(T)) {
	if !f.waiting.TryPush(call) {
		call(f.value)
	}
}

// Resolve sets the value. It must be called once.
func (f *Future[T]) Resolve(v T) {
	f.value = v
	calls, ok := f.waiting.Close(nil)
	if !ok {
		panic("pool: Future resolved twice")
	}
	for _, call := range calls {
		call(v)
	}
}
