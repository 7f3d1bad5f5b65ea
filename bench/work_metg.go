package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"
)

// metgWorkloads measure the minimum effective task granularity of patterns of Task Bench: how
// long tasks must be for half of the time to be work.
func metgWorkloads(z sizes) []*workload {
	var all []*workload
	for _, kind := range []string{"stencil_1d", "fft", "tree", "random_nearest"} {
		p := pick(z, pattern{kind, 100, 16, 5, 3}, pattern{kind, 23, 4, 3, 3},
			pattern{kind, 23, 4, 3, 3})
		g := p.shape()
		w := &workload{name: "metg-" + kind, unit: "ns", n: g.len(),
			title: fmt.Sprintf("the minimum effective task granularity at 50 %% of Task Bench's "+
				"pattern %s, %d steps of up to %d tasks; n is the number of tasks", kind, p.steps,
				p.width)}
		for _, peer := range frequentPeers() {
			w.rows = append(w.rows, peer.metgRow(g))
		}
		w.rows = append(w.rows, row{runtime: tbb.runtime, lang: langCPP,
			turn: func(s *session, workers int) (reading, error) {
				return s.metg(g.len(), workers, func(rounds int) (took []time.Duration, err error) {
					answer, err := tbb.ask(s, workers,
						func(s *session, workers int) (string, error) {
							line, err := graphJob("metg", g, rounds)(s, workers)
							return fmt.Sprintf("%s time=%d", line, s.metgTime/time.Nanosecond), err
						})
					for _, ns := range answer {
						took = append(took, time.Duration(ns))
					}
					return took, err
				})
			}})
		all = append(all, w)
	}
	return all
}

func (p graphPeer) metgRow(g *shape) row {
	return row{runtime: p.runtime, lang: langGo, free: p.free,
		turn: func(s *session, workers int) (r reading, err error) {
			with, err := p.open(workers)
			if err != nil {
				return reading{}, err
			}
			b := newTaskBench(g)
			if err := with.build(g, b.body); err != nil {
				return reading{}, err
			}
			err = p.looped(with, func(run func() error) error {
				r, err = s.metg(g.len(), workers,
					func(rounds int) (all []time.Duration, err error) {
						b.rounds = rounds
						for total := time.Duration(0); len(all) == 0 || total < s.metgTime; {
							b.run++
							took, err := clock(run)
							if err != nil {
								return nil, err
							}
							all, total = append(all, took), total+took
						}
						// only now: a look at what tasks have left takes it away from the worker
						return all, b.check()
					})
				return err
			})
			if err != nil {
				return r, err
			}
			return r, with.close()
		}}
}

// A grain is how a run with tasks of one length went.
type grain struct {
	rate float64 // work in a time, in any unit
	each float64 // processor nanoseconds for each task, all in all
}

// metgSweeps is how often METG goes through all lengths of tasks; the fastest counts for each.
const metgSweeps = 3

// metg runs a graph with shorter and shorter tasks, some times over. Its last argument runs it with
// tasks of so many rounds, again and again for sizes.metgTime, and returns how long each run took:
// the median counts. Of a single run a part would be what longer ones have left behind: that
// workers, and those who wait, sleep early.
func (s *session) metg(tasks, workers int,
	runs func(rounds int) ([]time.Duration, error)) (reading, error) {
	cores := min(workers, runtime.NumCPU())
	run := func(rounds int) (float64, error) {
		took, err := runs(rounds)
		if err != nil {
			return 0, err
		}
		if len(took) == 0 {
			return 0, errors.New("nothing was measured")
		}
		ns := make([]float64, len(took))
		for i, t := range took {
			ns[i] = float64(max(t, 1))
		}
		return median(ns), nil
	}
	perRound, err := roundTime(tasks, cores, run)
	if err != nil {
		return reading{}, err
	}
	longest := max(0, int(math.Round(math.Log2(float64(s.metgTop)/perRound))))
	grains := make([]grain, longest+1)
	for range metgSweeps {
		for i := range grains {
			rounds := 1 << (longest - i)
			took, err := run(rounds)
			if err != nil {
				return reading{}, err
			}
			if rate := float64(rounds) * float64(tasks) / took; rate > grains[i].rate {
				grains[i] = grain{rate: rate, each: took * float64(cores) / float64(tasks)}
			}
		}
	}
	each, err := metgOf(grains)
	return reading{samples: []float64{each}}, err
}

// roundTime returns about how long a round of the kernel takes.
func roundTime(tasks, cores int, run func(rounds int) (float64, error)) (float64, error) {
	const few, many = 1, 1025
	if _, err := run(few); err != nil { // the first run may grow things
		return 0, err
	}
	short, err := run(few)
	if err != nil {
		return 0, err
	}
	long, err := run(many)
	return max(0.5, (long-short)*float64(cores)/float64(tasks)/(many-few)), err
}

// metgOf returns the shortest grain at which at least half of the best rate was reached, on a
// line to the next shorter one; longer grains come first.
func metgOf(grains []grain) (float64, error) {
	var peak float64
	for _, g := range grains {
		peak = max(peak, g.rate)
	}
	found := math.Inf(1)
	for i, g := range grains {
		efficiency := g.rate / peak
		if efficiency < 0.5 {
			continue
		}
		each := g.each
		if i+1 < len(grains) {
			next := grains[i+1]
			if below := next.rate / peak; below < 0.5 && next.each < each {
				each = next.each + (each-next.each)*(0.5-below)/(efficiency-below)
			}
		}
		found = min(found, each)
	}
	if math.IsInf(found, 1) {
		return 0, errors.New("nothing was measured")
	}
	return found, nil
}
