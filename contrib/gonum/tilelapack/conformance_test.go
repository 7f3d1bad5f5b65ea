package tilelapack_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/lapack/testlapack"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/contrib/gonum/tilelapack"
	"github.com/heddle-go/heddle/taskgraph"
)

// start returns a LAPACK that makes a graph for any matrix, on a system of its own.
func start(t *testing.T, workers int) *tilelapack.LAPACK {
	sys := taskgraph.Start(taskgraph.Options{Workers: workers})
	t.Cleanup(func() { require.NoError(t, sys.Shutdown(context.Background())) })
	return tilelapack.NewEager(sys)
}

// either draws whether l makes graphs, or factors on the calling goroutine.
func either(t *rapid.T, l *tilelapack.LAPACK) *tilelapack.LAPACK {
	if rapid.Bool().Draw(t, "alone") {
		return tilelapack.NewAlone(l.System())
	}
	return l
}

// TestGonumSuite runs gonum's own tests on ours: those of the three factorizations, and those that
// begin with one of them.
func TestGonumSuite(t *testing.T) {
	l := start(t, 2)
	alone := tilelapack.NewAlone(l.System())
	for name, test := range map[string]func(*testing.T){
		"Dpotrf":       func(t *testing.T) { testlapack.DpotrfTest(t, l) },
		"Dpotrf alone": func(t *testing.T) { testlapack.DpotrfTest(t, alone) },
		"Dpotri":       func(t *testing.T) { testlapack.DpotriTest(t, l) },
		"Dpotrs":       func(t *testing.T) { testlapack.DpotrsTest(t, l) },
		"Dgetrf":       func(t *testing.T) { testlapack.DgetrfTest(t, l) },
		"Dgetrf alone": func(t *testing.T) { testlapack.DgetrfTest(t, alone) },
		"Dgetri":       func(t *testing.T) { testlapack.DgetriTest(t, l) },
		"Dgetrs":       func(t *testing.T) { testlapack.DgetrsTest(t, l) },
		"Dgeqrf":       func(t *testing.T) { testlapack.DgeqrfTest(t, l) },
		"Dpocon":       func(t *testing.T) { testlapack.DpoconTest(t, l) },
		"Dgecon":       func(t *testing.T) { testlapack.DgeconTest(t, l) },
		"Dorgqr":       func(t *testing.T) { testlapack.DorgqrTest(t, l) },
		"Dormqr":       func(t *testing.T) { testlapack.DormqrTest(t, l) },
	} {
		t.Run(name, test)
	}
}
