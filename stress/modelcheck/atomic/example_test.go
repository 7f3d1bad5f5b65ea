package atomic_test

import (
	"fmt"

	"github.com/heddle-go/heddle/stress/modelcheck/atomic"
)

// A once-only event as it would be written over sync/atomic: only the import path differs.
type event struct {
	state atomic.Uint32
	value atomic.Pointer[string]
}

// set stores the value before it raises the flag; the first call wins.
func (e *event) set(v string) bool {
	if !e.value.CompareAndSwap(nil, &v) {
		return false
	}
	e.state.Store(1)
	return true
}

func (e *event) wait() string {
	for e.state.Load() == 0 {
		atomic.Gosched()
	}
	return *e.value.Load()
}

func Example() {
	var e event
	atomic.Go(func() { e.set("woven") })
	fmt.Println(e.wait(), e.set("again"))
	// Output: woven false
}
