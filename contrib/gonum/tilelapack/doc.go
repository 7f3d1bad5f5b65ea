// Package tilelapack factors matrices for gonum by graphs of tasks on tiles, on the workers of a
// system of package taskgraph:
//
//	sys := taskgraph.Start(taskgraph.Options{})
//	blas64.Use(tileblas.New(sys))
//	lapack64.Use(tilelapack.New(sys))
//
// From then on the Cholesky, LU and QR of package mat are in parallel. To end, give gonum its own
// implementations back, and shut the system down.
//
// The graphs are those of Buttari, Langou, Kurzak and Dongarra, "A class of parallel tiled linear
// algebra algorithms for multicore architectures", Parallel Computing 35(1), 2009: each task works
// on one tile or column of tiles, and begins when those that it needs are there. So the next panel
// is factored while the last update still goes on, which a fork and a join at each step forbid. The
// factors are those that gonum's interface promises: LU has partial pivoting by whole columns, and
// the reflectors of QR are those of whole columns, where that paper has pairs of tiles.
package tilelapack
