//go:build !modelcheck

package atomic_test

import (
	"path"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/modelcheck/atomic"
)

// In a normal build the types are those of the standard library, with its name, not types
// like them: a wrapper struct would be a type of another package. That they give the same
// machine code is tested in internal/atomics.
func TestTypesAreThoseOfTheStandardLibrary(t *testing.T) {
	for _, word := range []any{
		atomic.Bool{}, atomic.Int32{}, atomic.Int64{}, atomic.Uint32{}, atomic.Uint64{},
		atomic.Uintptr{},
		atomic.Pointer[int]{}, atomic.Pointer[struct{ next *int }]{},
	} {
		is := reflect.TypeOf(word)
		require.Equal(t, path.Join("sync", "atomic"), is.PkgPath(), "%v", is)
	}
}
