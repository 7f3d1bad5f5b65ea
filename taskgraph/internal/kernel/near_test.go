package kernel_test

import (
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// What is queued for one worker a thief finds, also what comes just when that has found the inbox
// empty.
func TestMailIsFoundByOthers(t *testing.T) {
	k := newKernel(2, 0, nil)
	const pieces = 20_000
	var over atomics.Bool
	go func() {
		for n := range entry.Entry(pieces) {
			k.PushNear(0, n)
		}
		over.Store(true)
	}()
	seen := make([]bool, pieces)
	for left := pieces; left > 0; {
		last := over.Load()
		switch n, ok := k.Steal(k.Slots()[1]); {
		case ok && seen[n]:
			t.Fatalf("piece %d is found twice", n)
		case ok:
			seen[n] = true
			left--
		case last:
			t.Fatalf("%d pieces are lost", left)
		default:
			atomics.Gosched()
		}
	}
}
