package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// The table of what is no time: the name under which -workload knows it, and its title.
const (
	costsName  = "costs"
	costsTitle = "the memory that a waiting task takes, and the processor time and switches of the " +
		"process while a runtime with 2 workers is idle"
)

// A costRow is a runtime in that table.
type costRow struct {
	runtime string
	lang    string
	memory  func(n int) (release func() error, err error) // leaves n tasks in memory; may be nil
	idle    func(s *session) (end func() error, err error)
	// instead of idle, if it is another process
	watched func(s *session, window time.Duration) (cpu, switches float64, err error)
}

// A cost is a line of the table. What was not measured is nil.
type cost struct {
	Runtime  string   `json:"runtime"`
	Lang     string   `json:"lang"`
	Memory   *float64 `json:"bytes_per_task"`
	CPU      *float64 `json:"processor_us_per_s"`
	Switches *float64 `json:"switches_per_s"`

	err error
}

// idleWorkers is how many workers are idle.
const idleWorkers = 2

// costRows are all that there are.
func costRows() []costRow {
	return []costRow{
		{runtime: nobody, lang: langGo, idle: func(*session) (func() error, error) {
			return func() error { return nil }, nil
		}},
		{runtime: heddle, lang: langGo, memory: graphMemory, idle: spawnIdle(heddleOutside)},
		{runtime: heddleTasks, lang: langGo, memory: tasksMemory,
			idle: spawnIdle(heddleTasksOutside)},
		{runtime: "goroutines", lang: langGo, memory: goroutineMemory},
		{runtime: "channel-workers", lang: langGo, idle: spawnIdle(channelSpawn)},
		{runtime: "ants", lang: langGo, idle: spawnIdle(antsSpawn)},
		{runtime: "pond", lang: langGo, idle: spawnIdle(pondSpawn)},
		{runtime: "gopool", lang: langGo, idle: spawnIdle(gopoolSpawn)},
		{runtime: "go-taskflow", lang: langGo, memory: taskflowMemory},
		{runtime: tbb.runtime, lang: langCPP, watched: tbbIdle},
	}
}

// chooseCosts returns the rows that the flags ask for.
func (o *options) chooseCosts(all []costRow) []costRow {
	var chosen []costRow
	some := false
	for _, c := range all {
		wanted := o.wants(c.runtime, c.lang)
		some = some || wanted
		if wanted || c.runtime == heddle || c.runtime == nobody {
			chosen = append(chosen, c)
		}
	}
	if !some {
		return nil
	}
	return chosen
}

// weigh fills the table: memory once, idleness in as many turns as there are pairs.
func (s *session) weigh(ctx context.Context, rows []costRow) ([]cost, error) {
	all := make([]cost, len(rows))
	cpu, switches := make([][]float64, len(rows)), make([][]float64, len(rows))
	n := s.of(1_000_000)
	defer func() {
		for i := range all {
			c := &all[i]
			c.CPU, c.Switches = finite(median(cpu[i])), finite(median(switches[i]))
			if ctx.Err() != nil && c.err == nil && c.Memory == nil && c.CPU == nil {
				c.err = cli.ErrInterrupted
			}
		}
	}()
	for i, row := range rows {
		all[i].Runtime, all[i].Lang = row.runtime, row.lang
	}
	for pair := range s.pairs {
		for i, row := range rows {
			c := &all[i]
			if c.err != nil {
				continue
			}
			s.at(costsName, row.runtime, pair+1, s.pairs)
			_, err := guarded(ctx, s.patience, func() (reading, error) {
				if pair == 0 && row.memory != nil {
					bytes, err := weighed(n, row.memory)
					if err != nil {
						return reading{}, err
					}
					c.Memory = finite(bytes)
				}
				if row.idle == nil && row.watched == nil {
					return reading{}, nil
				}
				took, switched, err := row.rest(s)
				cpu[i], switches[i] = append(cpu[i], took), append(switches[i], switched)
				return reading{}, err
			})
			if ctx.Err() != nil {
				return all, fmt.Errorf("%s: %w", costsName, cli.ErrInterrupted)
			}
			c.err = err
		}
	}
	return all, nil
}

// costGrid returns the table as text.
func costGrid(costs []cost) grid {
	var g grid
	g.add("runtime", "memory, bytes/task", "processor, µs/s", "switches, 1/s")
	for _, c := range costs {
		name := c.Runtime
		if c.Lang == langCPP {
			name += " (C++)"
		}
		if c.err != nil {
			g.add(name, figure(c.Memory))
			g.note(trouble(c.err.Error(), isAbsent(c.err)))
			continue
		}
		g.add(name, figure(c.Memory), figure(c.CPU), figure(c.Switches))
	}
	return g
}

// rest watches the idle runtime for one turn, and returns what a second of it takes.
func (c costRow) rest(s *session) (cpu, switches float64, err error) {
	window := s.idle / time.Duration(s.pairs)
	if c.watched != nil {
		return c.watched(s, window)
	}
	end, err := c.idle(s)
	if err != nil {
		return 0, 0, err
	}
	time.Sleep(window / 10) // the last steps to sleep, and the runtime's own, are over then
	took, switched, err := rusage()
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	time.Sleep(window)
	seconds := time.Since(begin).Seconds()
	tookEnd, switchedEnd, err := rusage()
	if err != nil {
		return 0, 0, err
	}
	return float64(tookEnd-took) / float64(time.Microsecond) / seconds,
		float64(switchedEnd-switched) / seconds, end()
}

// spawnIdle is a runtime that runs some tasks and then nothing.
func spawnIdle(open func(workers int) (spawner, error)) func(*session) (func() error, error) {
	return func(*session) (func() error, error) {
		with, err := open(idleWorkers)
		if err != nil {
			return nil, err
		}
		if err := with.spawn(1000, nothing); err != nil {
			return nil, err
		}
		if with.close == nil {
			return func() error { return nil }, nil
		}
		return with.close, nil
	}
}

// tbbIdle asks the process of oneTBB what it has used.
func tbbIdle(s *session, window time.Duration) (cpu, switches float64, err error) {
	answer, err := tbb.ask(s, idleWorkers, func(_ *session, workers int) (string, error) {
		return fmt.Sprintf("idle workers=%d n=1000 turn=%d", workers, window/time.Nanosecond), nil
	})
	if err != nil {
		return 0, 0, err
	}
	if len(answer) != 2 {
		return 0, 0, fmt.Errorf("%d numbers for an answer, want 2", len(answer))
	}
	return float64(answer[0]) / 1e3 / window.Seconds(), float64(answer[1]) / window.Seconds(), nil
}

// weighed returns the bytes a task that fill leaves in memory until release is called.
func weighed(n int, fill func(n int) (release func() error, err error)) (float64, error) {
	before := inUse()
	release, err := fill(n)
	if err != nil {
		return math.NaN(), err
	}
	after := inUse()
	return float64(after-before) / float64(n), release()
}

// inUse returns the bytes of live objects and stacks.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
