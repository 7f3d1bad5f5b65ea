package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/heddle-go/heddle/taskgraph"
)

// sortLeaf is how many elements mergesort sorts at once.
const sortLeaf = 1024

// merge merges two sorted runs that follow each other in from into to.
func merge(to, from []int32, half int) {
	left, right := from[:half], from[half:]
	for i := range to {
		if len(right) == 0 || len(left) > 0 && left[0] <= right[0] {
			to[i], left = left[0], left[1:]
		} else {
			to[i], right = right[0], right[1:]
		}
	}
}

// mergesortWorkload sorts by halves, from one array into the other and back.
func mergesortWorkload(n int) *workload {
	rnd := rand.New(rand.NewPCG(3, 4))
	input, data, spare := make([]int32, n), make([]int32, n), make([]int32, n)
	var sum int64
	for i := range input {
		input[i] = int32(rnd.Uint32())
		sum += int64(input[i])
	}
	check := func() error {
		var got int64
		for _, v := range data {
			got += int64(v)
		}
		if got != sum || !slices.IsSorted(data) {
			return errors.New("the result is not sorted, or not what was to be sorted")
		}
		return nil
	}
	w := &workload{name: "mergesort",
		title: fmt.Sprintf("numbers sorted by merging halves, down to runs of %d", sortLeaf),
		unit:  "ns/element", n: n}
	// sorted merges the halves of a range, which are in the other array, into the one it is to
	// be in.
	merged := func(lo, hi int, inSpare bool) {
		half := (hi - lo) / 2
		if inSpare {
			merge(spare[lo:hi], data[lo:hi], half)
		} else {
			merge(data[lo:hi], spare[lo:hi], half)
		}
	}
	leaf := func(lo, hi int, inSpare bool) {
		slices.Sort(data[lo:hi])
		if inSpare {
			copy(spare[lo:hi], data[lo:hi])
		}
	}
	flag := func(on bool) int64 {
		if on {
			return 1
		}
		return 0
	}
	var fork func(c *taskgraph.Context, a *taskgraph.Args)
	fork = func(c *taskgraph.Context, a *taskgraph.Args) {
		lo, hi, inSpare := int(a.A), int(a.B), a.C != 0
		if hi-lo <= sortLeaf {
			leaf(lo, hi, inSpare)
			return
		}
		middle := lo + (hi-lo)/2
		left := c.Fork(fork, taskgraph.Args{A: int64(lo), B: int64(middle), C: flag(!inSpare)})
		right := taskgraph.Args{A: int64(middle), B: int64(hi), C: flag(!inSpare)}
		fork(c, &right)
		left.Wait()
		merged(lo, hi, inSpare)
	}
	var spread func(all func(fs ...func()) error, lo, hi int, inSpare bool) error
	spread = func(all func(fs ...func()) error, lo, hi int, inSpare bool) error {
		if hi-lo <= sortLeaf {
			leaf(lo, hi, inSpare)
			return nil
		}
		middle := lo + (hi-lo)/2
		var errs [2]error
		err := all(func() { errs[0] = spread(all, lo, middle, !inSpare) }, func() {
			errs[1] = spread(all, middle, hi, !inSpare)
		})
		if err = errors.Join(err, errs[0], errs[1]); err != nil {
			return err
		}
		merged(lo, hi, inSpare)
		return nil
	}
	return w.divided(n, division{
		before: func() { copy(data, input) },
		ours: func(c *taskgraph.Context) error {
			a := taskgraph.Args{B: int64(n)}
			fork(c, &a)
			return nil
		},
		theirs: func(all func(fs ...func()) error) error { return spread(all, 0, n, false) },
		after:  check,
	})
}
