package tileblas_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas/testblas"
	"pgregory.net/rapid"

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

// either draws whether b shares its tiles, or leaves them all to the calling goroutine.
func either(t *rapid.T, b *tileblas.BLAS) *tileblas.BLAS {
	if rapid.Bool().Draw(t, "alone") {
		return tileblas.NewAlone(b.System())
	}
	return b
}

// TestGonumSuite runs gonum's own tests of real double precision on ours.
func TestGonumSuite(t *testing.T) {
	shared := start(t, 2)
	for how, b := range map[string]*tileblas.BLAS{
		"": shared, " alone": tileblas.NewAlone(shared.System()),
	} {
		for name, test := range map[string]func(*testing.T){
			"Dgemm": func(t *testing.T) { testblas.TestDgemm(t, b) },
			"Dsyrk": func(t *testing.T) { testblas.DsyrkTest(t, b) },
			"Dtrsm": func(t *testing.T) { testblas.DtrsmTest(t, b) },
			"Dgemv": func(t *testing.T) { testblas.DgemvTest(t, b) },
		} {
			t.Run(name+how, test)
		}
	}
}
