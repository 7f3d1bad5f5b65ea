package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

// callers is how many goroutines call at a time where a rate is measured.
const callers = 64

// makers returns the systems that can be made here.
func makers(embedded bool) ([]maker, error) {
	var ms []maker
	if embedded {
		ms = append(ms, maker{"farm, server and worker in the process", inProcess})
	}
	ms = append(ms, maker{"farm, server in the process", oneServer},
		maker{"farm, cluster of three", cluster}, maker{"plain NATS", plainNATS})
	file, err := redisProgram()
	if err == nil && file == "" {
		fmt.Fprintln(os.Stderr, "bench: no redis-server here: there is no row for Asynq")
		return ms, nil
	}
	return append(ms, maker{"Asynq on Redis", onRedis}), err
}

// input returns an input that no other job has.
func input(size int) []byte {
	in := make([]byte, size)
	_, _ = rand.Read(in)
	return in
}

// checked calls a job and looks at the result.
func (s *system) checked(ctx context.Context, in []byte) error {
	out, err := s.call(ctx, in)
	if err == nil && !bytes.Equal(out, job(in)) {
		err = errors.New("another result than that of the job")
	}
	return err
}

// warm calls a few jobs, so that all is connected.
func (s *system) warm(ctx context.Context) error {
	for range 20 {
		if err := s.checked(ctx, input(64)); err != nil {
			return err
		}
	}
	return nil
}

// open makes all systems of a table, calls f, and closes them.
func open(ctx context.Context, ms []maker, procs int, f func([]*system) error) (err error) {
	var all []*system
	defer func() {
		for _, s := range all {
			err = errors.Join(err, s.close())
		}
	}()
	for _, m := range ms {
		s, err := m.make(ctx, procs)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		s.name = m.name
		all = append(all, s)
		if err := s.warm(ctx); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return f(all)
}

// small is the size of jobs where size is not what is measured, in bytes.
const small = 64

// calls measures round trips, one after the other.
func (b *bench) calls(ctx context.Context) error {
	ms, err := makers(true)
	if err != nil {
		return err
	}
	return open(ctx, ms, 1, func(all []*system) error {
		p50, p99 := map[string][]time.Duration{}, map[string][]time.Duration{}
		for range b.rounds {
			for _, s := range all {
				var took []time.Duration
				for range b.jobs {
					in := input(small)
					begin := time.Now()
					if _, err := s.call(ctx, in); err != nil {
						return fmt.Errorf("%s: %w", s.name, err)
					}
					took = append(took, time.Since(begin))
				}
				slices.Sort(took)
				p50[s.name] = append(p50[s.name], took[len(took)/2])
				p99[s.name] = append(p99[s.name], took[len(took)*99/100])
			}
		}
		rows := [][]string{{"", "p50", "p99"}}
		for _, s := range all {
			rows = append(rows, []string{s.name, micros(median(p50[s.name])),
				micros(median(p99[s.name]))})
		}
		b.table(rows)
		return nil
	})
}

func micros(d time.Duration) string {
	if d >= 10*time.Millisecond {
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%d µs", d.Microseconds())
}

// burst calls so many jobs, callers of them at a time, and returns how long that took.
func (s *system) burst(ctx context.Context, jobs, size int) (time.Duration, error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	left := jobs
	begin := time.Now()
	for range min(callers, jobs) {
		wg.Go(func() {
			for {
				mu.Lock()
				if left--; left < 0 || failed != nil {
					mu.Unlock()
					return
				}
				mu.Unlock()
				if err := s.checked(ctx, input(size)); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return 0, fmt.Errorf("%s: %w", s.name, failed)
	}
	return time.Since(begin), nil
}

// powers returns 1, 2, 4 and so on up to most.
func powers(most int) (all []int) {
	for n := 1; n <= most; n *= 2 {
		all = append(all, n)
	}
	return all
}

// rate measures jobs a second, by worker processes.
func (b *bench) rate(ctx context.Context) error {
	ms, err := makers(false)
	if err != nil {
		return err
	}
	rows := [][]string{{"worker processes"}}
	for _, m := range ms {
		rows[0] = append(rows[0], m.name)
	}
	for _, procs := range powers(b.most) {
		row := []string{fmt.Sprint(procs)}
		err := open(ctx, ms, procs, func(all []*system) error {
			rates := map[string][]float64{}
			for range b.rounds {
				for _, s := range all {
					took, err := s.burst(ctx, b.jobs, small)
					if err != nil {
						return err
					}
					rates[s.name] = append(rates[s.name], float64(b.jobs)/took.Seconds())
				}
			}
			for _, s := range all {
				row = append(row, fmt.Sprintf("%.0f", median(rates[s.name])))
			}
			return nil
		})
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	b.table(rows)
	return nil
}

// sizes are those of jobs, in bytes.
var sizes = []int{64, 4 << 10, 48 << 10, 256 << 10, 768 << 10}

// size measures time for a job by its size, in a burst: the reciprocal of the rate.
func (b *bench) size(ctx context.Context) error {
	ms, err := makers(false)
	if err != nil {
		return err
	}
	rows := [][]string{{"bytes in and out"}}
	for _, m := range ms {
		rows[0] = append(rows[0], m.name)
	}
	err = open(ctx, ms, 2, func(all []*system) error {
		for _, size := range sizes {
			row := []string{fmt.Sprint(size)}
			jobs := max(min(b.jobs, 64<<20/size), 1) // bounded in bytes too
			took := map[string][]time.Duration{}
			for range b.rounds {
				for _, s := range all {
					t, err := s.burst(ctx, jobs, size)
					if err != nil {
						return err
					}
					took[s.name] = append(took[s.name], t/time.Duration(jobs))
				}
			}
			for _, s := range all {
				row = append(row, micros(median(took[s.name])))
			}
			rows = append(rows, row)
		}
		return nil
	})
	if err == nil {
		b.table(rows)
	}
	return err
}
