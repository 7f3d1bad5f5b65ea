package tileblas_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"github.com/heddle-go/heddle/contrib/gonum/tileblas"
	"github.com/heddle-go/heddle/taskgraph"
)

func ExampleNew() {
	sys := taskgraph.Start(taskgraph.Options{})
	blas64.Use(tileblas.New(sys))

	const n = 256
	ones := mat.NewDense(n, n, nil)
	ones.Apply(func(_, _ int, _ float64) float64 { return 1 }, ones)
	var product mat.Dense
	product.Mul(ones, ones) // on all workers
	fmt.Println(product.At(3, 7))

	blas64.Use(gonum.Implementation{})
	if err := sys.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: 256
}
