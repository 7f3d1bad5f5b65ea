package main

import "fmt"

// frameRounds is how much the tasks of a frame compute.
const frameRounds = 500

// frameShape is a frame of a game in outline: input, then animation of many things, physics in
// four groups and their joints, culling, and the draw call at the end.
func frameShape() *shape {
	var preds [][]uint32
	add := func(before ...uint32) uint32 {
		preds = append(preds, before)
		return uint32(len(preds) - 1)
	}
	input := add()
	var groups []uint32
	for range 4 {
		var animated []uint32
		for range 8 {
			animated = append(animated, add(input))
		}
		groups = append(groups, add(animated...))
	}
	joints := add(groups...)
	var culled []uint32
	for _, group := range groups {
		for range 4 {
			culled = append(culled, add(joints, group))
		}
	}
	add(culled...)
	return newShape("frame", preds)
}

// frameWorkloads run a frame again and again; a sample is a frame.
func frameWorkloads(z sizes) []*workload {
	g := frameShape()
	w := &workload{name: "frame",
		title: fmt.Sprintf("a frame of %d small tasks, run repeatedly; n is the number of "+
			"frames in a turn", g.len()), unit: "ns/frame", n: z.frames, single: true}
	for _, p := range frequentPeers() {
		w.rows = append(w.rows, row{runtime: p.runtime, lang: langGo, free: p.free,
			turn: func(s *session, workers int) (r reading, err error) {
				with, err := p.open(workers)
				if err != nil {
					return reading{}, err
				}
				b := newTaskBench(g)
				b.rounds = frameRounds
				if err := with.build(g, b.body); err != nil {
					return reading{}, err
				}
				err = p.looped(with, func(run func() error) error {
					r, err = s.times(s.frames, 1, func() error { b.run++; return run() })
					return err
				})
				if err == nil {
					err = b.check()
				}
				if err != nil {
					return reading{}, err
				}
				return r, with.close()
			}})
	}
	w.rows = append(w.rows, tbb.row(1, graphJob("frames", g, frameRounds)))
	return []*workload{w}
}
