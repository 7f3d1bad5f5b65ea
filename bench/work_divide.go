package main

import (
	"context"
	"fmt"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// An allPeer runs functions beside each other, inside others, and returns when all have ended. A
// pool whose tasks cannot wait for others of the same pool is none.
type allPeer struct {
	runtime string
	all     func(fs ...func()) error
}

var allPeers = []allPeer{
	{"goroutines", goroutineAll},
	{"errgroup", errgroupAll},
	{"conc", concAll},
}

// divideWorkloads divide and conquer: small tasks in great numbers, and larger ones with leaves
// that compute.
func divideWorkloads(z sizes) []*workload {
	return []*workload{
		queensWorkload(pick(z, 12, 10, 6)),
		skynetWorkload(pick(z, 6, 5, 3)),
		matmulWorkload(pick(z, 512, 256, 64)),
		mergesortWorkload(z.of(1_000_000)),
	}
}

// A division is a workload that divides and conquers.
type division struct {
	before func()                           // prepares a pass, not timed; may be nil
	ours   func(c *taskgraph.Context) error // Heddle's body, in a task
	theirs func(all func(fs ...func()) error) error
	after  func() error // checks what a pass left, not timed; may be nil
}

// divided adds the rows of a workload.
func (w *workload) divided(units int, d division) *workload {
	turn := func(s *session, pass func() error) (reading, error) {
		return s.clocked(units, func() (time.Duration, error) {
			if d.before != nil {
				d.before()
			}
			took, err := clock(pass)
			if err == nil && d.after != nil {
				err = d.after()
			}
			return took, err
		})
	}
	ours := func(name string, pass func(h heddleSystem) error) {
		w.rows = append(w.rows, goRow(name, func(s *session, workers int) (reading, error) {
			h := startHeddle(workers)
			r, err := turn(s, func() error { return pass(h) })
			if err != nil {
				return r, err
			}
			return r, h.close()
		}))
	}
	ours(heddle, func(h heddleSystem) error { return h.inside(d.ours) })
	whole := taskgraph.Run(d.ours)
	// its caller takes part, as the peers' do
	ours("heddle-run", func(h heddleSystem) error { return h.sys.Run(context.Background(), whole) })
	for _, p := range allPeers {
		w.rows = append(w.rows, freeRow(p.runtime, func(s *session, _ int) (reading, error) {
			return turn(s, func() error { return d.theirs(p.all) })
		}))
	}
	return w
}

// equal is the check of a workload whose result is a number.
func equal(what string, got, want int) error {
	if got != want {
		return fmt.Errorf("%s is %d and not %d", what, got, want)
	}
	return nil
}
