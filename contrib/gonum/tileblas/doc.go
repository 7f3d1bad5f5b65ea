// Package tileblas is an implementation of BLAS for gonum that works on all workers of a system of
// package taskgraph:
//
//	sys := taskgraph.Start(taskgraph.Options{})
//	blas64.Use(tileblas.New(sys))
//
// From then on package mat multiplies, updates and solves in parallel. To end, give gonum its own
// implementation back, and shut the system down:
//
//	blas64.Use(gonum.Implementation{})
//	err := sys.Shutdown(ctx)
//
// Package tilelapack beside it does the same for factorizations.
package tileblas
