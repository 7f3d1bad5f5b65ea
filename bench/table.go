package main

import (
	"errors"
	"time"
)

// A table compares several ways to do one thing. Its rows take turns.
type table struct {
	name      string
	title     string
	reference string   // the row that ratios are to
	metrics   []metric // the first has its spread and its ratio shown
	rows      []row
}

// A metric is one figure of a turn.
type metric struct {
	name string
	unit string
}

// A row is one way.
type row struct {
	name string

	// prepare warms up and returns what one turn of the row is. It fails with an absent
	// error where the row cannot run here.
	prepare func(s *session) (turn, error)
}

// A turn measures once and returns a figure for each metric of its table. It fails if what
// came out is not what went in.
type turn func() ([]float64, error)

// A session is one run of the command.
type session struct {
	length time.Duration // of a turn, about
	native *native
}

// An absent error says why a row cannot run here.
type absent string

func (a absent) Error() string { return string(a) }

func isAbsent(err error) (reason string, ok bool) {
	var a absent
	ok = errors.As(err, &a)
	return string(a), ok
}

// tables are all comparisons, in the order in which they run.
func tables() []*table {
	var all []*table
	all = append(all, ringTables()...)
	all = append(all, queueTables()...)
	all = append(all, dequeTables()...)
	all = append(all, wakeTables()...)
	all = append(all, threadTables()...)
	all = append(all, taskTables()...)
	all = append(all, loopTables()...)
	return all
}
