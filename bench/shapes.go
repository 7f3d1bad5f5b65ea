package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A shape is a task graph by its edges: preds[i] holds the predecessors of i, all below i.
type shape struct {
	name  string
	preds [][]uint32
	succs [][]uint32
	edges int

	// Of the patterns of Task Bench only: the step and the point of each task.
	at []point
}

// newShape fills in what follows from the predecessors.
func newShape(name string, preds [][]uint32) *shape {
	g := &shape{name: name, preds: preds, succs: make([][]uint32, len(preds))}
	for i, before := range preds {
		g.edges += len(before)
		for _, p := range before {
			g.succs[p] = append(g.succs[p], uint32(i))
		}
	}
	return g
}

func (g *shape) len() int { return len(g.preds) }

// nothing is a body that does nothing.
func nothing() {}

// empty gives every task that body.
func empty(int) func() { return nothing }

// checked returns bodies that note their runs, and what to call after each run of the graph:
// it fails unless each task ran once, after its predecessors.
func (g *shape) checked() (body func(i int) func(), check func() error) {
	ran := make([]atomics.Uint32, g.len())
	var early, runs atomics.Uint32
	body = func(i int) func() {
		return func() {
			now := runs.Load() + 1
			for _, p := range g.preds[i] {
				if ran[p].Load() != now {
					early.Add(1)
				}
			}
			ran[i].Add(1)
		}
	}
	return body, func() error {
		now := runs.Add(1)
		for i := range ran {
			if n := ran[i].Load(); n != now {
				return fmt.Errorf("task %d ran %d times in %d runs", i, n, now)
			}
		}
		if n := early.Load(); n > 0 {
			return fmt.Errorf("%d times a task ran before a predecessor", n)
		}
		return nil
	}
}

func chainShape(n int) *shape {
	preds := make([][]uint32, n)
	for i := 1; i < n; i++ {
		preds[i] = []uint32{uint32(i - 1)}
	}
	return newShape("chain", preds)
}

func treeShape(depth int) *shape {
	preds := make([][]uint32, 1<<depth-1)
	for i := 1; i < len(preds); i++ {
		preds[i] = []uint32{uint32(i-1) / 2}
	}
	return newShape("tree", preds)
}

func wavefrontShape(n int) *shape {
	preds := make([][]uint32, n*n)
	for i := range preds {
		if i%n > 0 {
			preds[i] = append(preds[i], uint32(i-1))
		}
		if i >= n {
			preds[i] = append(preds[i], uint32(i-n))
		}
	}
	return newShape("wavefront", preds)
}

// dagShape is random, but the same in every run and for every runtime.
func dagShape(n int) *shape {
	rnd := rand.New(rand.NewPCG(1, 2))
	preds := make([][]uint32, n)
	for i := 1; i < n; i++ {
		for range rnd.IntN(5) {
			preds[i] = append(preds[i], uint32(rnd.IntN(i)))
		}
	}
	return newShape("dag", preds)
}

// shapeFiles keeps shapes in files, for the C++ programs to read.
type shapeFiles struct {
	dir string

	mu    sync.Mutex
	paths map[*shape]string
}

func newShapeFiles() (*shapeFiles, error) {
	dir, err := os.MkdirTemp("", "heddle-bench-")
	return &shapeFiles{dir: dir, paths: map[*shape]string{}}, err
}

func (f *shapeFiles) close() error { return os.RemoveAll(f.dir) }

// path returns the file of a shape, and writes it first if need be: 32-bit numbers, little end
// first. The number of tasks; then for each its step, its point, the number of its
// predecessors, and those.
func (f *shapeFiles) path(g *shape) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if path, ok := f.paths[g]; ok {
		return path, nil
	}
	path := filepath.Join(f.dir, fmt.Sprintf("%d-%s.edges", len(f.paths), g.name))
	file, err := os.Create(path)
	if err != nil {
		return "", err
	}
	w := bufio.NewWriter(file)
	put := func(v uint32) { _ = binary.Write(w, binary.LittleEndian, v) } // Flush has the error
	put(uint32(g.len()))
	for i, before := range g.preds {
		var at point
		if g.at != nil {
			at = g.at[i]
		}
		put(uint32(at.step))
		put(uint32(at.index))
		put(uint32(len(before)))
		for _, p := range before {
			put(p)
		}
	}
	f.paths[g] = path
	return path, errors.Join(w.Flush(), file.Close())
}
