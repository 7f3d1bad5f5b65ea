package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A use is what steps took beside time; nil is what nobody can tell.
type use struct {
	missed  *float64 // share of beats at which no step could begin
	cpus    *float64 // processor time by wall time
	waiting *float64 // threads that could run and had no processor, on average
	wakes   *float64 // sleeping workers of Heddle woken by the kernel, for each step

	// Nanoseconds of the steps, where these are not what is measured: their mean and 99th
	// percentile.
	step, stepTail *float64
}

// A useBegin is where the process stood.
type useBegin struct {
	at       int64
	cpu      time.Duration
	switches int64
	rusage   bool
	delays   map[string]int64
	wakes    uint64
}

func beginUse(with stepper) (u useBegin) {
	if with.wakes != nil {
		u.wakes = with.wakes()
	}
	u.delays = runDelays()
	cpu, switches, err := rusage()
	u.cpu, u.switches, u.rusage, u.at = cpu, switches, err == nil, atomics.Now()
	return u
}

// end returns what so many steps took since.
func (u useBegin) end(with stepper, steps int) (r reading) {
	wall := float64(atomics.Now() - u.at)
	if cpu, switches, err := rusage(); u.rusage && err == nil {
		r.use.cpus = finite(float64(cpu-u.cpu) / wall)
		r.switches = finite(float64(switches-u.switches) / float64(steps))
	}
	if now := runDelays(); u.delays != nil && now != nil {
		var sum int64
		for thread, delay := range now {
			sum += delay - u.delays[thread]
		}
		r.use.waiting = finite(float64(sum) / wall)
	}
	if with.wakes != nil {
		r.use.wakes = finite(float64(with.wakes()-u.wakes) / float64(steps))
	}
	return r
}

// runDelays returns for how many nanoseconds each thread of the process has waited for a
// processor so far, and nil where the system does not say. Threads that ended are not counted.
func runDelays() map[string]int64 {
	files, _ := filepath.Glob("/proc/self/task/*/schedstat")
	var all map[string]int64
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			if delay, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				if all == nil {
					all = map[string]int64{}
				}
				all[file] = delay
			}
		}
	}
	return all
}
