package tilelapack_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	blasgonum "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/heddle-go/heddle/contrib/gonum/tileblas"
	"github.com/heddle-go/heddle/contrib/gonum/tilelapack"
	"github.com/heddle-go/heddle/taskgraph"
)

func ExampleNew() {
	sys := taskgraph.Start(taskgraph.Options{})
	blas64.Use(tileblas.New(sys))
	lapack64.Use(tilelapack.New(sys))

	const n = 400
	a := mat.NewSymDense(n, nil)
	b := mat.NewVecDense(n, nil)
	for i := range n {
		a.SetSym(i, i, 4)
		b.SetVec(i, 8)
	}
	var factor mat.Cholesky
	fmt.Println(factor.Factorize(a)) // a graph of tasks on tiles
	var x mat.VecDense
	if err := factor.SolveVecTo(&x, b); err != nil {
		fmt.Println(err)
	}
	fmt.Println(x.AtVec(n - 1))

	lapack64.Use(gonum.Implementation{})
	blas64.Use(blasgonum.Implementation{})
	if err := sys.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// true
	// 2
}
