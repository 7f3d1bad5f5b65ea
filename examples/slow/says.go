package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// late returns how long tasks took from ready to begin, of the priority that most of them have.
func late(r *profile.Report) (d profile.Delay) {
	for _, q := range r.Queued {
		if q.Count > d.Count {
			d = q
		}
	}
	return d
}

func saysLateWake(r *profile.Report, mended bool) string {
	d := late(r)
	s := fmt.Sprintf("Half of the steps began within %v, and 99 of 100 within %v (ready to begin).\n",
		short(d.P50), short(d.P99))
	if mended {
		return s + "The goroutine that keeps the beat announced each step and ran it."
	}
	return s + "The workers slept until each step was launched."
}

func saysLongTask(r *profile.Report, _ bool) string {
	for _, u := range r.Tasks {
		if u.Name != "bake" {
			continue
		}
		before := 0
		for _, v := range r.Tasks {
			if v.Name == "tile" && v.Began < u.Began {
				before++
			}
		}
		return fmt.Sprintf("The task bake takes %v of a run of %v. It waits for no other task, "+
			"and began after\n%v, when %d of the %d tiles had begun.", short(u.Time),
			short(r.Active), short(u.Began-u.Ready), before, tiles)
	}
	return "The profile does not contain the task bake."
}

func saysFalseDependency(r *profile.Report, _ bool) string {
	var names []string
	for _, s := range r.Path {
		names = append(names, s.Name)
	}
	s := "The critical path is " + strings.Join(names, ", ") + ": "
	for i := 1; i < len(names); i++ {
		load, isLoad := strings.CutPrefix(names[i-1], "load ")
		parse, isParse := strings.CutPrefix(names[i], "parse ")
		if isLoad && isParse && load != parse {
			return s + fmt.Sprintf("%s does not read what %s has loaded,\nand yet waits for it.",
				names[i], names[i-1])
		}
	}
	return s + "no task on it waits for a part that it does not read."
}

func saysFineTasks(r *profile.Report, _ bool) string {
	n := 0
	for _, l := range r.Lanes {
		n += l.Bodies
	}
	s := fmt.Sprintf("The %d pixels were shaded by %d bodies", pixels, n)
	for _, u := range r.Names {
		if u.Count >= pixels {
			return s + fmt.Sprintf(", half of which took less than %v.\nA worker takes %v from "+
				"one body to the next.", short(u.P50), short(r.Costs.Switch))
		}
	}
	return s + ": a loop has no task for each element."
}

func saysBlockedBody(r *profile.Report, _ bool) string {
	var fetch time.Duration
	for _, u := range r.Names {
		if u.Name == "fetch" {
			fetch = u.Total
		}
	}
	if r.Blocked > 0 {
		return fmt.Sprintf("The fetches declared %v of waiting as blocked, so other workers stood in "+
			"and drew\nmeanwhile.", short(r.Blocked))
	}
	return fmt.Sprintf("The profile counts %v of %v as work of the fetches, in which they only "+
		"waited.\nEach kept a worker from drawing until the system noticed.", short(fetch),
		short(r.Work))
}

// short rounds a time to three digits.
func short(d time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 1000*unit {
			return d.Round(unit)
		}
	}
}
