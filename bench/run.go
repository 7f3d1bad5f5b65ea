package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"time"
)

// patience is how long a turn may take before it is called a hang.
const patience = 2 * time.Minute

// errHang is the failure of a row that hangs. What it left behind would disturb all others.
var errHang = fmt.Errorf("hangs: no result after %v", patience)

// A result is what became of a row.
type result struct {
	row    string
	values [][]float64 // for each metric, one value a round
	absent string      // why it did not run
	failed string      // what went wrong
}

// An outcome is what became of a table.
type outcome struct {
	table   *table
	results []*result
}

// choose returns the tables with the rows whose "table/row" name matches, and in each the
// reference row.
func choose(all []*table, pattern *regexp.Regexp) []*table {
	var chosen []*table
	for _, t := range all {
		wanted := func(r row) bool { return pattern.MatchString(t.name + "/" + r.name) }
		if !slices.ContainsFunc(t.rows, wanted) {
			continue
		}
		c := *t
		c.rows = nil
		for _, r := range t.rows {
			if wanted(r) || r.name == t.reference {
				c.rows = append(c.rows, r)
			}
		}
		chosen = append(chosen, &c)
	}
	return chosen
}

// race runs one table: each row warms up, then in each round every row has one turn, in the
// order of the table. It fails if it had to stop before the end.
func race(ctx context.Context, t *table, s *session, rounds int, p *progress) (outcome, error) {
	o := outcome{table: t}
	turns := make([]turn, len(t.rows))
	for i, r := range t.rows {
		p.at(t.name, r.name, "warm-up")
		res := &result{row: r.name, values: make([][]float64, len(t.metrics))}
		o.results = append(o.results, res)
		err := guarded(ctx, func() (err error) {
			turns[i], err = r.prepare(s)
			return err
		})
		if err := res.note(err); err != nil {
			return o, err
		}
	}
	for round := range rounds {
		for i, r := range t.rows {
			res := o.results[i]
			if res.absent != "" || res.failed != "" {
				continue
			}
			p.at(t.name, r.name, fmt.Sprintf("round %d of %d", round+1, rounds))
			var values []float64
			runtime.GC()
			err := res.note(guarded(ctx, func() (err error) {
				values, err = turns[i]()
				return err
			}))
			if err != nil {
				return o, err
			}
			if res.failed != "" {
				continue
			}
			for m := range t.metrics {
				res.values[m] = append(res.values[m], values[m])
			}
		}
	}
	return o, nil
}

// note takes down an error of the row, and returns one that ends the run.
func (r *result) note(err error) error {
	if reason, ok := isAbsent(err); ok {
		r.absent = reason
		return nil
	}
	if errors.Is(err, context.Canceled) {
		return errors.New("interrupted")
	}
	if err != nil {
		r.failed = err.Error()
	}
	if errors.Is(err, errHang) {
		return fmt.Errorf("%s %w", r.row, err)
	}
	return nil
}

// guarded runs f, but gives up on it when it hangs or the run is interrupted. What does not
// end is left behind.
func guarded(ctx context.Context, f func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- f() }()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return errHang
	}
}

// counted is a row whose turn does n operations, all timed together; n is chosen during the
// warm-up so that a turn has about the session's length. The one figure is nanoseconds an
// operation.
func counted(name string, do func(n int) (time.Duration, error)) row {
	return row{name: name, prepare: func(s *session) (turn, error) {
		n, err := calibrate(s.length, do)
		if err != nil {
			return nil, err
		}
		return func() ([]float64, error) {
			took, err := do(n)
			return []float64{float64(took) / float64(n)}, err
		}, nil
	}}
}

// minOps and maxOps bound what calibrate chooses: the start and the end of a turn must not
// show, and an unbounded queue may hold all of it at once.
const (
	minOps = 64
	maxOps = 1 << 23
)

// calibrate finds how many operations take about the wanted time.
func calibrate(want time.Duration, do func(n int) (time.Duration, error)) (int, error) {
	n := minOps
	for {
		runtime.GC()
		took, err := do(n)
		if err != nil {
			return 0, err
		}
		if took >= want/4 || n >= maxOps {
			scaled := float64(n) * float64(want) / float64(max(took, 1))
			return int(min(max(scaled, minOps), maxOps)), nil
		}
		n = min(4*n, maxOps)
	}
}
