package main

import "math/rand/v2"

// A graphShape is a task graph by its edges: preds[i] holds the predecessors of i, all below i.
type graphShape struct {
	name, title string
	preds       [][]uint32
}

// smaller divides the numbers of tasks: tests run every row, but not to the end of the day.
var smaller = 1

// graphShapes are the graphs that are run.
func graphShapes() []graphShape {
	side, depth := 256, 18
	if smaller > 1 {
		side, depth = 16, 8
	}
	return []graphShape{
		{"chain", "chain of 100,000 tasks", chainPreds(100_000 / smaller)},
		{"tree", "binary tree of depth 18", treePreds(depth)},
		{"wavefront", "wavefront of 256 x 256 tasks", wavefrontPreds(side)},
		{"dag", "random graph of 100,000 tasks with up to 4 predecessors", dagPreds(100_000 / smaller)},
	}
}

func chainPreds(n int) [][]uint32 {
	preds := make([][]uint32, n)
	for i := 1; i < n; i++ {
		preds[i] = []uint32{uint32(i - 1)}
	}
	return preds
}

func treePreds(depth int) [][]uint32 {
	preds := make([][]uint32, 1<<depth-1)
	for i := 1; i < len(preds); i++ {
		preds[i] = []uint32{uint32(i-1) / 2}
	}
	return preds
}

func wavefrontPreds(n int) [][]uint32 {
	preds := make([][]uint32, n*n)
	for i := range preds {
		if i%n > 0 {
			preds[i] = append(preds[i], uint32(i-1))
		}
		if i >= n {
			preds[i] = append(preds[i], uint32(i-n))
		}
	}
	return preds
}

func dagPreds(n int) [][]uint32 {
	rnd := rand.New(rand.NewPCG(1, 2))
	preds := make([][]uint32, n)
	for i := 1; i < n; i++ {
		for range rnd.IntN(5) {
			preds[i] = append(preds[i], uint32(rnd.IntN(i)))
		}
	}
	return preds
}
