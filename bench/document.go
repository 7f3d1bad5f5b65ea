package main

import (
	"slices"
	"strconv"
	"strings"
)

// documentTables are what a page can mark. Each shows a choice of one run's rows; the file of
// results has all.
var documentTables = map[string]func(*results) grid{
	"tasks":    tasksTable,
	"loops":    loopsTable,
	"wakes":    func(r *results) grid { return peersTable(r, "wake-", "goroutine-", "thread-") },
	"queues":   func(r *results) grid { return peersTable(r, "ring-", "queue-", "deque-") },
	"costs":    func(r *results) grid { return costGrid(r.Costs) },
	"steps":    stepsTable,
	"programs": programsTable,
	"beats":    beatsTable,
	"frames":   framesTable,
	"beside":   besideTable,
}

// documentPictures likewise.
var documentPictures = map[string]func([]results) string{"overview": overviewPicture}

// ownTables are the beginnings of workloads that tables of their own have.
var ownTables = []string{"loop-", "step-", "program-", "frame-", "beside-"}

// tasksTable has Heddle beside the best peer in either language, with one worker and with two.
func tasksTable(r *results) (g grid) {
	g.add("workload (ns a task)", "1 worker", "best Go", "best C++", "2 workers", "best Go",
		"best C++")
	for _, name := range r.workloads("") {
		one, two := r.find(name, heddle, 1), r.find(name, heddle, 2)
		own := slices.ContainsFunc(ownTables, func(beginning string) bool {
			return strings.HasPrefix(name, beginning)
		})
		if one.Median == nil || two.Median == nil || own {
			continue
		}
		cells := []string{name}
		if unit, ok := strings.CutPrefix(one.Unit, "ns/"); ok && unit != "task" {
			cells[0] += " (" + unit + ")"
		}
		for _, ours := range []record{one, two} {
			cells = append(cells, figure(ours.Median))
			for _, lang := range []string{langGo, langCPP} {
				cells = append(cells, multiple(r.best(name, lang, ours.Workers), false))
			}
		}
		g.add(cells...)
	}
	return g
}

// loopsTable has the loops with two workers.
func loopsTable(r *results) (g grid) {
	g.add("workload", "ns/element", "serial", "goroutines", heddleInsideTask)
	for _, name := range r.workloads("loop-") {
		ours := r.find(name, heddle, 2)
		cells := []string{strings.TrimPrefix(name, "loop-"), figure(ours.Median)}
		for _, runtime := range g.lines[0][2:] {
			cells = append(cells, figure(r.find(name, runtime, 2).Ratio))
		}
		g.add(cells...)
	}
	return g
}

// peersTable has all peers as multiples of Heddle.
func peersTable(r *results, prefixes ...string) (g grid) {
	g.add("workload", heddle, "the others, as multiples of it")
	for _, name := range r.workloads(prefixes...) {
		var others []string
		for _, rec := range r.Records {
			if rec.Workload == name && rec.Runtime != heddle && rec.Ratio != nil {
				others = append(others, multiple(rec, true))
			}
		}
		ours := r.find(name, heddle, 0)
		g.add(name, figure(ours.Median)+" "+ours.Unit, strings.Join(others, ", "))
	}
	return g
}

// multiple is a peer, with its language or without, and its multiple of Heddle's time, in bold
// type where that is below 1.
func multiple(r record, language bool) string {
	if r.Ratio == nil {
		return "-"
	}
	text := r.Runtime
	if language {
		text = r.name()
	}
	text += " " + figure(r.Ratio)
	if *r.Ratio < 0.995 {
		text = "**" + text + "**"
	}
	return text
}

// stepsTable has steps back to back.
func stepsTable(r *results) grid {
	return stepColumns(r, "step-", heddleRun, heddleInsideTask, "heddle-thread", heddle,
		tbb.runtime)
}

// programsTable has the programs.
func programsTable(r *results) grid {
	return stepColumns(r, "program-", heddleRun, heddleInsideTask, heddle)
}

// heddleRun is the row in which the goroutine outside takes part.
const heddleRun = "heddle-run"

// stepColumns has microseconds of serial, of the best row of plain Go and of these runtimes, and by
// how much Run is ahead of plain Go.
func stepColumns(r *results, prefix string, runtimes ...string) (g grid) {
	heading := append([]string{strings.TrimSuffix(prefix, "-"), "serial", "best Go"}, runtimes...)
	g.add(append(heading, "by-go of "+heddleRun, "of "+heddleInsideTask)...)
	for _, name := range r.workloads(prefix) {
		if strings.Count(name, "-") > 2 {
			continue // at a beat
		}
		run, inside := r.find(name, heddleRun, 2), r.find(name, heddleInsideTask, 2)
		cells := []string{strings.TrimPrefix(name, prefix), micro(r.find(name, "serial", 2).Median),
			micro(fastestGo(r, name).Median)}
		for _, runtime := range runtimes {
			cells = append(cells, micro(r.find(name, runtime, 2).Median))
		}
		g.add(append(cells, figure(run.Best), figure(inside.Best))...)
	}
	return g
}

// fastestGo is the fastest row of plain Go, serial among them.
func fastestGo(r *results, workload string) record {
	best, serial := r.best(workload, langGo, 2), r.find(workload, "serial", 2)
	if best.Median == nil || serial.Median != nil && *serial.Median < *best.Median {
		return serial
	}
	return best
}

// beatRows are Heddle's that take part, without System.SleepUntil and with it.
var beatRows = []string{heddleRun, heddleInsideTask, heddleRun + "-beat", heddleInsideTask +
	"-beat"}

// beatsTable has a graph of 300 µs at two beats.
func beatsTable(r *results) (g grid) {
	g.add("300 µs", "every 1.33 ms", "p99", "missed", "cpus", "every 4 ms", "cpus")
	for _, runtime := range append([]string{"serial", "counters", "hybrid", tbb.runtime},
		beatRows...) {
		fast, slow := r.find("step-graph-300us-1.33ms", runtime, 2), r.find("step-graph-300us-4ms",
			runtime, 2)
		g.add(runtime, micro(fast.Median), micro(fast.P99), share(fast.Missed), small(fast.CPUs),
			micro(slow.Median), small(slow.CPUs))
	}
	return g
}

// framesTable has frames that are replayed: Heddle beside the best of plain Go and of C++, with
// percentiles of all frames.
func framesTable(r *results) (g grid) {
	g.add("frame, ms", "workers", "serial", "best Go", "p99", "best C++", "p99", heddle, "p99",
		heddleRun, "p99", heddleInsideTask, "p99")
	for _, name := range r.workloads("frame-") {
		for _, workers := range []int{1, 2} {
			cells := []string{strings.TrimPrefix(name, "frame-"), strconv.Itoa(workers),
				milli(r.find(name, "serial", workers).P50)}
			for _, rec := range []record{
				r.best(name, langGo, workers), r.best(name, langCPP, workers),
				r.find(name, heddle, workers), r.find(name, heddleRun, workers),
				r.find(name, heddleInsideTask, workers),
			} {
				cells = append(cells, milli(rec.P50), milli(rec.P99))
			}
			g.add(cells...)
		}
	}
	return g
}

// besideTable has what goroutines do beside a graph of 300 µs.
func besideTable(r *results) (g grid) {
	g.add("steps by", "back to back: piece", "start", "sleep", "every 4 ms: piece", "start",
		"sleep")
	for _, runtime := range slices.Concat([]string{nobody, heddle}, beatRows,
		[]string{"counters", "hybrid", "goroutines"}) {
		cells := []string{runtime}
		for _, beat := range []string{"", "-4ms"} {
			for _, work := range []string{"pieces", "start", "timer"} {
				cells = append(cells, micro(r.find("beside-"+work+"-graph"+beat, runtime,
					2).Median))
			}
		}
		g.add(cells...)
	}
	return g
}

// micro shows nanoseconds as microseconds.
func micro(v *float64) string {
	if v == nil {
		return "-"
	}
	return figure(finite(*v / 1000))
}

// milli shows nanoseconds as milliseconds.
func milli(v *float64) string {
	if v == nil {
		return "-"
	}
	return figure(finite(*v / 1e6))
}
