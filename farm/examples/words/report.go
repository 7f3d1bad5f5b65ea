package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// A pass counts all texts once.
type pass struct {
	words uint64
	took  time.Duration
	why   map[string]int // jobs by the reason for where they ran
	kept  int            // results that the farm had already
}

// A report is a run of the command.
type report struct {
	texts, workers      int
	loop, first, second pass
}

// reasons are those of the farm, in words that need no manual.
var reasons = map[string]string{
	"here: there is no farm": "ran in this process",
	"here: no worker has it": "ran in this process, as no worker is connected",
	"here: shorter than a question to the farm": "ran in this process, as a job is shorter than " +
		"a question to the farm",
	"forced: the call says where": "ran on a worker",
}

func (r *report) print(w io.Writer) {
	fmt.Fprintf(w, "%d words in %d texts\n\n", r.first.words, r.texts)
	line := func(name string, p pass) { fmt.Fprintf(w, "%-12s %9.2f ms\n", name, ms(p.took)) }
	line("plain loop", r.loop)
	for i, p := range []pass{r.first, r.second} {
		line([]string{"farm", "farm, again"}[i], p)
		if p.kept > 0 {
			fmt.Fprintf(w, "  %s: the farm had kept the result\n", verdict.Count(p.kept, "job"))
			p.why = maps.Clone(p.why)
			maps.DeleteFunc(p.why, func(why string, _ int) bool { return reasons[why] == "" })
		}
		for _, why := range slices.Sorted(maps.Keys(p.why)) {
			n, text := p.why[why], reasons[why]
			if text == "" {
				text = why
			}
			fmt.Fprintf(w, "  %s %s\n", verdict.Count(n, "job"), text)
		}
	}
	fmt.Fprintln(w)
	for _, sentence := range r.conclusion() {
		fmt.Fprintln(w, sentence)
	}
}

// conclusion is what the run says in words, a sentence a line.
func (r *report) conclusion() []string {
	where := "With the jobs in this process, the farm"
	if r.workers > 0 {
		where = "With the jobs in " + verdict.Count(r.workers, "worker process")
		if r.workers > 1 {
			where = fmt.Sprintf("With the jobs in %d worker processes", r.workers)
		}
		where += ", the farm"
	}
	beside := func(p pass) string {
		return verdict.Beside(p.took.Seconds(), r.loop.took.Seconds(), "a plain loop")
	}
	lines := []string{where + " " + beside(r.first) + ".",
		"The second time it " + beside(r.second) + "."}
	each := ms(r.loop.took) / float64(r.texts)
	if r.workers == 0 {
		return append(lines, fmt.Sprintf("A job of %.2f ms is too short to send away. To see "+
			"workers: go -C farm run ./examples/words -workers 3", each))
	}
	return append(lines, fmt.Sprintf("A job takes %.2f ms in the loop, and a call of a worker "+
		"%.2f ms on average. A farm gains where jobs", each, ms(r.first.took)/float64(r.texts)),
		"take many times as long as a call, where workers are on other machines, or where the "+
			"result was kept.")
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }
