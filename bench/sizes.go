package main

import "time"

// sizes say how much of everything there is.
type sizes struct {
	part    int           // the numbers of tasks and the like are divided by it
	turn    time.Duration // a row repeats its work for so long in each turn, at least once
	frames  int           // of the frame loop, in a turn
	wakes   int           // of a sleeping worker, in a turn
	idle    time.Duration // how long an idle runtime is watched
	metgTop time.Duration // about how long the longest tasks of METG are

	metgTime time.Duration // how long METG runs tasks of each length at a time, at least once
}

var (
	fullSizes = sizes{part: 1, turn: 100 * time.Millisecond, frames: 10_000, wakes: 50,
		idle: 10 * time.Second, metgTop: 100 * time.Microsecond, metgTime: 2 * time.Millisecond}
	quickSizes = sizes{part: 10, turn: 2 * time.Millisecond, frames: 200, wakes: 5,
		idle: time.Second, metgTop: 20 * time.Microsecond}
)

// of returns the part of a full size.
func (z sizes) of(full int) int { return max(1, full/z.part) }

// pick returns the full value, that of a quick run or that of the tests.
func pick[T any](z sizes, full, quick, tiny T) T {
	switch {
	case z.part == fullSizes.part:
		return full
	case z.part <= quickSizes.part:
		return quick
	}
	return tiny
}
