package main

import (
	"math"
	"strconv"
	"strings"
	"text/template"
)

// A comparison is a line of the overview: Heddle's row of a workload.
type comparison struct {
	label, workload, runtime string
	workers                  int
}

// comparisons are a choice that has what Heddle is for, and where it loses.
var comparisons = []comparison{
	{"small tasks, launched in a task", "spawn-inside", heddle, 2},
	{"small tasks, launched from outside", "spawn-outside", heddle, 2},
	{"fib(30), a fork for each call", "fib", heddle, 2},
	{"12 queens", "nqueens", heddle, 2},
	{"merge sort", "mergesort", heddle, 2},
	{"graph run again: chain", "chain-rerun", heddle, 2},
	{"graph run again: grid", "wavefront-rerun", heddle, 2},
	{"graph run again: random", "dag-rerun", heddle, 2},
	{"graph built and run: random", "dag-build", heddle, 2},
	{"frame of 55 tasks", "frame", heddle, 2},
	{"loop bound by memory", "parfor-1e7", heddle, 2},
	{"step: 8 pieces, 20 µs", "step-fan8-20us", heddleRun, 2},
	{"step: graph, 20 µs", "step-graph-20us", heddleRun, 2},
	{"step: graph, 300 µs", "step-graph-300us", heddleRun, 2},
	{"step: graph, 300 µs every 1.33 ms", "step-graph-300us-1.33ms", "heddle-run-beat", 2},
	{"step: 20 loops, 100 µs", "step-chain-100us", heddleRun, 2},
	{"step: forks, 1 ms", "step-forks-1ms", heddleRun, 2},
	{"program: audio graph", "program-audio", heddleRun, 2},
	{"program: triangular solve", "program-solve", heddleRun, 2},
	{"program: transformer", "program-decode", heddleRun, 2},
	{"waking who still spins", "wake-drowsing", heddle, 1},
	{"waking who sleeps", "wake-sleeping", heddle, 1},
	{"posts to one thread", "thread-post", heddle, 1},
	{"request to a thread, and the answer", "thread-waiting", heddle, 1},
	{"bounded queue, 1 to 1", "ring-1p1c", heddle, 2},
	{"bounded queue, 4 to 4", "ring-4p4c", heddle, 8},
	{"unbounded queue, 1 to 1", "queue-1p1c", heddle, 2},
	{"unbounded queue, 4 to 4", "queue-4p4c", heddle, 8},
	{"deque, owner alone", "deque-pushpop", heddle, 1},
}

// The geometry of the overview, in pixels.
const (
	overviewTop, overviewLine = 46.0, 19.0
	overviewLeft, overviewEnd = 236.0, 636.0
	overviewLow, overviewHigh = 0.1, 100.0 // of the axis
)

// overviewPicture draws the best peer in each language as a multiple of Heddle, on a logarithmic
// axis.
func overviewPicture(from []results) string {
	type line struct {
		Y             float64
		Label         string
		Go, CPP       float64 // places; 0: there is none
		GoText, CText string
	}
	var lines []line
	for _, c := range comparisons {
		for _, r := range from {
			ours := r.find(c.workload, c.runtime, c.workers)
			if ours.Median == nil {
				continue
			}
			l := line{Y: overviewTop + overviewLine*float64(len(lines)), Label: c.label}
			if peer := r.best(c.workload, langGo, c.workers); peer.Median != nil {
				l.Go, l.GoText = compared(peer, ours)
			}
			if peer := r.best(c.workload, langCPP, c.workers); peer.Median != nil {
				l.CPP, l.CText = compared(peer, ours)
			}
			lines = append(lines, l)
			break
		}
	}
	type tick struct {
		X    float64
		Text string
	}
	var ticks []tick
	for _, v := range []float64{0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100} {
		ticks = append(ticks, tick{overviewX(v), strconv.FormatFloat(v, 'g', -1, 64)})
	}
	top, bottom := overviewTop-14, overviewTop+overviewLine*float64(len(lines))-8
	var b strings.Builder
	err := overviewTemplate.Execute(&b, map[string]any{
		"Lines": lines, "Ticks": ticks,
		"Left": overviewLeft, "End": overviewEnd, "One": overviewX(1),
		"Slower": overviewX(1) - overviewLeft,
		"Top":    top, "Bottom": bottom, "Tall": bottom - top, "Height": bottom + 44,
		"Width": overviewEnd + 30,
	})
	if err != nil {
		panic(err) // the template and what fills it are here
	}
	return b.String()
}

// compared is the place of a peer on the axis, and what it shows when pointed at.
func compared(peer, ours record) (x float64, text string) {
	ratio := *peer.Median / *ours.Median
	return overviewX(ratio), peer.Runtime + " " + figure(&ratio)
}

// overviewX is the place of a ratio on the axis, at its edge if it lies beyond it.
func overviewX(ratio float64) float64 {
	part := math.Log(ratio/overviewLow) / math.Log(overviewHigh/overviewLow)
	return math.Round(10*(overviewLeft+(overviewEnd-overviewLeft)*min(max(part, 0), 1))) / 10
}

var overviewTemplate = template.Must(template.New("overview").Funcs(template.FuncMap{
	"plus": func(a, b float64) float64 { return a + b },
}).Parse(
	`<svg xmlns="http://www.w3.org/2000/svg" width="{{.Width}}" height="{{.Height}}" viewBox="0 0 {{.Width}} {{.Height}}" font-family="Helvetica, Arial, sans-serif" font-size="11" fill="#24292f">
<title>The best peers' times as multiples of Heddle's</title>
<rect width="100%" height="100%" fill="#ffffff"/>
<rect x="{{.Left}}" y="{{.Top}}" width="{{.Slower}}" height="{{.Tall}}" fill="#fbeeee"/>
{{range .Ticks}}<path d="M{{.X}} {{$.Top}}V{{$.Bottom}}" stroke="#d8dee4"/>
<text x="{{.X}}" y="{{plus $.Bottom 14}}" text-anchor="middle">{{.Text}}</text>
{{end}}<path d="M{{.One}} {{.Top}}V{{.Bottom}}" stroke="#24292f"/>
<text x="{{plus .One -6}}" y="{{plus .Top -6}}" text-anchor="end">Heddle is slower</text>
<text x="{{plus .One 6}}" y="{{plus .Top -6}}">Heddle is faster</text>
{{range .Lines}}<text x="228" y="{{plus .Y 4}}" text-anchor="end">{{.Label}}</text>
<path d="M{{$.Left}} {{.Y}}H{{$.End}}" stroke="#eaeef2"/>
{{if .CPP}}<path d="M{{.CPP}} {{.Y}}m-5 0l5 -5l5 5l-5 5z" fill="#d1862f"><title>{{.CText}}</title></path>
{{end}}{{if .Go}}<circle cx="{{.Go}}" cy="{{.Y}}" r="4" fill="#1f77b4"><title>{{.GoText}}</title></circle>
{{end}}{{end}}<text x="{{.Left}}" y="{{plus .Bottom 32}}">the fastest peer's time by Heddle's, logarithmic; to the right is better</text>
<circle cx="64" cy="{{plus .Bottom 28}}" r="4" fill="#1f77b4"/><text x="74" y="{{plus .Bottom 32}}">peer in Go</text>
<path d="M152 {{plus .Bottom 28}}m-5 0l5 -5l5 5l-5 5z" fill="#d1862f"/><text x="163" y="{{plus .Bottom 32}}">peer in C++</text>
</svg>
`))
