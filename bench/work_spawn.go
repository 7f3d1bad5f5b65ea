package main

import (
	"fmt"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A spawner runs so many calls of f, and returns when all have ended.
type spawner struct {
	spawn func(n int, f func()) error
	close func() error // nil if there is nothing to close
}

// A spawnPeer is a runtime that has one.
type spawnPeer struct {
	runtime string
	free    bool
	open    func(workers int) (spawner, error)
}

// insidePeers launch from inside a task, outsidePeers from a goroutine that is none. A pool
// whose tasks cannot wait for others of the same pool has no row of the first kind.
var (
	insidePeers = []spawnPeer{
		{runtime: heddle, open: heddleInside},
		{runtime: heddleTasks, open: heddleTasksInside},
		{runtime: "goroutines", free: true, open: goroutineSpawn},
		{runtime: "errgroup", free: true, open: errgroupInside},
		{runtime: "conc", free: true, open: concInside},
	}
	outsidePeers = []spawnPeer{
		{runtime: heddle, open: heddleOutside},
		{runtime: heddleTasks, open: heddleTasksOutside},
		{runtime: "goroutines", free: true, open: goroutineSpawn},
		{runtime: "channel-workers", open: channelSpawn},
		{runtime: "errgroup", open: errgroupSpawn},
		{runtime: "conc", open: concSpawn},
		{runtime: "ants", open: antsSpawn},
		{runtime: "pond", open: pondSpawn},
		{runtime: "gopool", open: gopoolSpawn},
	}
)

func spawnWorkloads(z sizes) []*workload {
	n := z.of(100_000)
	inside := &workload{name: "spawn-inside",
		title: "empty tasks, launched by a task that then waits for all", unit: "ns/task", n: n}
	outside := &workload{name: "spawn-outside",
		title: "empty tasks, launched by a goroutine outside the runtime, which then waits for all",
		unit:  "ns/task", n: n}
	for _, p := range insidePeers {
		inside.rows = append(inside.rows, p.row(n))
	}
	for _, p := range outsidePeers {
		outside.rows = append(outside.rows, p.row(n))
	}
	inside.rows = append(inside.rows, tbb.row(n, plainJob("spawn-inside", n)))
	outside.rows = append(outside.rows, tbb.row(n, plainJob("spawn-outside", n)))
	return []*workload{inside, outside}
}

// row is the peer's row: empty tasks are timed, and then as many that count themselves.
func (p spawnPeer) row(n int) row {
	return row{runtime: p.runtime, lang: langGo, free: p.free,
		turn: func(s *session, workers int) (reading, error) {
			with, err := p.open(workers)
			if err != nil {
				return reading{}, err
			}
			r, err := s.passes(n, func() error { return with.spawn(n, nothing) })
			if err != nil {
				return reading{}, err
			}
			var ran atomics.Int64
			if err := with.spawn(n, func() { ran.Add(1) }); err != nil {
				return reading{}, err
			}
			if got := ran.Load(); got != int64(n) {
				return reading{}, fmt.Errorf("%d tasks ran of %d", got, n)
			}
			if with.close != nil {
				err = with.close()
			}
			return r, err
		}}
}
