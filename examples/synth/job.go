package main

import (
	"sync/atomic"

	"github.com/heddle-go/heddle/examples/synth/internal/orchestra"
)

// A job is a plan that several goroutines run together, again and again: for each node a count of
// those that it still waits for, and a ring of nodes that are ready. All its counts only rise, or
// are put back by who runs the node, so that a goroutine that is late for one run can join the next
// one.
type job struct {
	plan   orchestra.Plan
	waits  []int32   // for each node, for how many others it waits
	after  [][]int32 // for each node, which ones wait for it
	roots  []int32
	chains bool // who has run a node goes on with one that it has made ready

	left []atomic.Int32 // for each node, how many of those have not run
	// ready nodes: place+1, and the node in the lowest 16 bits; a power of two
	ring  []atomic.Uint64
	_     [64]byte
	head  atomic.Uint64 // place of the next node to be taken
	_     [64]byte
	tail  atomic.Uint64 // place of the next one to become ready
	_     [64]byte
	ran   atomic.Uint64 // nodes, of all runs
	total atomic.Uint64 // nodes of all runs that have begun
}

func newJob(plan orchestra.Plan, chains bool) *job {
	n := len(plan)
	size := 1
	for size < n {
		size *= 2
	}
	j := &job{
		plan: plan, chains: chains, waits: make([]int32, n), after: make([][]int32, n),
		left: make([]atomic.Int32, n), ring: make([]atomic.Uint64, size),
	}
	for i := range plan {
		j.waits[i] = int32(len(plan[i].After))
		j.left[i].Store(j.waits[i])
		if j.waits[i] == 0 {
			j.roots = append(j.roots, int32(i))
		}
		for _, before := range plan[i].After {
			j.after[before] = append(j.after[before], int32(i))
		}
	}
	return j
}

// begin begins a run. The one before must be done.
func (j *job) begin() {
	j.total.Add(uint64(len(j.plan)))
	at := j.tail.Add(uint64(len(j.roots))) - uint64(len(j.roots))
	for i, node := range j.roots {
		j.put(at+uint64(i), node)
	}
}

func (j *job) put(at uint64, node int32) {
	j.ring[at&uint64(len(j.ring)-1)].Store((at+1)<<16 | uint64(node))
}

// done reports whether all nodes of all runs have run.
func (j *job) done() bool { return j.ran.Load() == j.total.Load() }

// some reports whether a node is ready.
func (j *job) some() bool { return j.head.Load() != j.tail.Load() }

// take takes a node that is ready, if there is one.
func (j *job) take() (node int32, ok bool) {
	for {
		at := j.head.Load()
		s := j.ring[at&uint64(len(j.ring)-1)].Load()
		if s>>16 != (at+1)&(1<<48-1) {
			if j.head.Load() == at {
				return 0, false
			}
			continue
		}
		if j.head.CompareAndSwap(at, at+1) {
			return int32(s & (1<<16 - 1)), true
		}
	}
}

// step runs a node that is ready, and with chains what it makes ready one after the other. It
// reports whether there was one.
func (j *job) step() bool {
	node, ok := j.take()
	if !ok {
		return false
	}
	ran := uint64(0)
	for ok {
		j.left[node].Store(j.waits[node]) // for the next run
		j.plan[node].Run()
		ran++
		after := j.after[node]
		ok = false
		for _, next := range after {
			switch {
			case j.left[next].Add(-1) > 0:
			case j.chains && !ok:
				node, ok = next, true
			default:
				j.put(j.tail.Add(1)-1, next)
			}
		}
	}
	j.ran.Add(ran)
	return true
}
