package tileblas_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas/testblas"

	"github.com/heddle-go/heddle/contrib/gonum/tileblas"
	"github.com/heddle-go/heddle/taskgraph"
)

func abs(v float64) float64 { return math.Abs(v) }

// start returns a BLAS that cuts whatever it can, on a system of its own.
func start(t *testing.T, workers int) *tileblas.BLAS {
	sys := taskgraph.Start(taskgraph.Options{Workers: workers})
	t.Cleanup(func() { require.NoError(t, sys.Shutdown(context.Background())) })
	return tileblas.NewEager(sys)
}

// TestGonumSuite runs gonum's own tests of real double precision on ours.
func TestGonumSuite(t *testing.T) {
	b := start(t, 2)
	for name, test := range map[string]func(*testing.T){
		"Dgemm": func(t *testing.T) { testblas.TestDgemm(t, b) },
		"Dsyrk": func(t *testing.T) { testblas.DsyrkTest(t, b) },
		"Dtrsm": func(t *testing.T) { testblas.DtrsmTest(t, b) },
		"Dgemv": func(t *testing.T) { testblas.DgemvTest(t, b) },
	} {
		t.Run(name, test)
	}
}
