package kernel_test

import (
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// What kind of slot an extra one is, is written before others can see it. The race detector judges.
func TestExtraSlotsAreKnownWhenSeen(t *testing.T) {
	for range 100 {
		k := newKernel(20, 0, func(*kernel.Slot) {})
		var over atomics.Bool
		looked := make(chan struct{})
		go func() {
			defer close(looked)
			for !over.Load() {
				k.Observe()
				k.Stats()
			}
		}()
		for range 2 {
			k.AddSpare()
		}
		for range 20 {
			k.NewCaller(park.OS).Join()
		}
		over.Store(true)
		<-looked
	}
}
