package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// patience is how long a turn may take before it is called a hang.
const patience = 2 * time.Minute

// A session is one run of the command.
type session struct {
	sizes
	pairs    int
	workers  []int
	patience time.Duration
	cpp      *cpp
	files    *shapeFiles

	show        *cli.Progress
	done, total int // workloads
}

// at says what runs now.
func (s *session) at(workload, runtime string, pair, pairs int) {
	if s.show != nil {
		s.show.Show(fmt.Sprintf("%d of %d: %s, turn %d of %d: %s", s.done+1, s.total, workload,
			pair, pairs, runtime))
	}
}

// An entry is a row with a number of workers, and what became of it.
type entry struct {
	row     row
	workers int
	figures []float64 // one a turn
	samples []float64 // of all turns
	allocs  []float64 // one a turn, if they are counted
	moves   []float64 // context switches, likewise
	uses    []use     // likewise
	err     error
	slow    bool // a turn took very long
}

// A row of which a turn takes so long has no more than a few.
const (
	slowTurn = 700 * time.Millisecond
	fewPairs = 3
)

// isHeddle tells whether the row is one of Heddle's.
func (r row) isHeddle() bool {
	return r.runtime == heddle || strings.HasPrefix(r.runtime, heddle+"-")
}

// entries lists what takes turns in a workload.
func (s *session) entries(w *workload) []*entry {
	counts := s.workers
	if w.fixed > 0 {
		counts = []int{w.fixed}
	}
	var all []*entry
	for _, n := range counts {
		for _, r := range w.rows {
			all = append(all, &entry{row: r, workers: n})
		}
	}
	return all
}

// race runs one workload: in each pair of rounds every entry has one turn, a different one
// first each time. It fails if it was interrupted.
func (s *session) race(ctx context.Context, w *workload) ([]*entry, error) {
	all := s.entries(w)
	pairs := s.pairs
	if w.fewer {
		pairs = max(1, pairs*3/5)
	}
	for pair := range pairs {
		for i := range all {
			e := all[(i+pair)%len(all)]
			if e.err != nil || e.slow && pair >= fewPairs {
				continue
			}
			s.at(w.name, e.row.runtime, pair+1, pairs)
			begin := time.Now()
			r, err := s.turnOf(ctx, e)
			e.slow = e.slow || time.Since(begin) > slowTurn
			if errors.Is(err, context.Canceled) {
				return all, cli.ErrInterrupted
			}
			if err == nil && len(r.samples) == 0 {
				err = errors.New("nothing was measured")
			}
			if err != nil {
				e.err = err
				continue
			}
			figure := mean(r.samples)
			if w.single {
				figure = median(r.samples)
			}
			e.figures = append(e.figures, figure)
			e.samples = append(e.samples, r.samples...)
			if r.allocs != nil {
				e.allocs = append(e.allocs, *r.allocs)
			}
			e.uses = append(e.uses, r.use)
			if r.switches != nil {
				e.moves = append(e.moves, *r.switches)
			}
		}
	}
	return all, nil
}

// turnOf gives an entry one turn.
func (s *session) turnOf(ctx context.Context, e *entry) (r reading, err error) {
	if e.row.free {
		if most := runtime.GOMAXPROCS(0); e.workers < most {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(e.workers))
		}
	}
	runtime.GC()
	return guarded(ctx, s.patience, func() (reading, error) { return e.row.turn(s, e.workers) })
}

// guarded runs f, but gives up on it when it hangs or the run is interrupted. What does not
// end is left behind. A panic is an error.
func guarded(ctx context.Context, patience time.Duration,
	f func() (reading, error)) (reading, error) {
	if err := ctx.Err(); err != nil {
		return reading{}, err
	}
	type answer struct {
		r   reading
		err error
	}
	done := make(chan answer, 1)
	go func() {
		a := answer{err: errors.New("ended its goroutine")}
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("panic: %v", p)
			}
			done <- a
		}()
		a.r, a.err = f()
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case a := <-done:
		return a.r, a.err
	case <-ctx.Done():
		return reading{}, ctx.Err()
	case <-timer.C:
		return reading{},
			fmt.Errorf("hangs: no result after %v; what it left behind may disturb what follows",
				patience)
	}
}
