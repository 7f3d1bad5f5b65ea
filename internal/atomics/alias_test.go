//go:build !modelcheck && !heddle_count

package atomics_test

import (
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
)

// TestAliasesAreIdenticalTypes holds the promise of the normal build: the seam adds nothing.
// A wrapper struct would differ in reflection and would not assign.
func TestAliasesAreIdenticalTypes(t *testing.T) {
	var p atomics.Pointer[int]
	var _ *atomic.Pointer[int] = &p
	for _, c := range []struct{ seam, std any }{
		{atomics.Bool{}, atomic.Bool{}},
		{atomics.Int32{}, atomic.Int32{}},
		{atomics.Int64{}, atomic.Int64{}},
		{atomics.Uint32{}, atomic.Uint32{}},
		{atomics.Uint64{}, atomic.Uint64{}},
		{atomics.Uintptr{}, atomic.Uintptr{}},
		{atomics.Pointer[int]{}, atomic.Pointer[int]{}},
	} {
		if got, want := reflect.TypeOf(c.seam), reflect.TypeOf(c.std); got != want {
			t.Errorf("%v is not %v", got, want)
		}
	}
}
