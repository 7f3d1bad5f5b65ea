package export

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// A graph is the tasks of a report and what is between them.
type graph struct {
	tasks  []profile.TaskUse
	index  map[trace.ID]int
	edges  []graphEdge
	onPath []bool
	layer  []int // the longest chain of edges that leads to each task
	layers int
}

type graphEdge struct {
	from, to int
	kind     edgeKind
	critical bool
}

type edgeKind uint8

const (
	prerequisite edgeKind = iota
	launched              // from the parent to its child
	waited                // of the critical path: what went on after a wait
)

func newGraph(s *trace.Snapshot, r *profile.Report) *graph {
	g := &graph{index: map[trace.ID]int{}}
	for _, t := range r.Tasks {
		g.index[t.ID] = len(g.tasks)
		g.tasks = append(g.tasks, t)
	}
	g.onPath = make([]bool, len(g.tasks))
	steps := map[[2]int]bool{}
	for i, step := range r.Path {
		g.onPath[g.index[step.Task]] = true
		if i > 0 {
			steps[[2]int{g.index[r.Path[i-1].Task], g.index[step.Task]}] = true
		}
	}
	add := func(from, to int, kind edgeKind) {
		pair := [2]int{from, to}
		g.edges = append(g.edges, graphEdge{from, to, kind, steps[pair]})
		delete(steps, pair)
	}
	for i, t := range g.tasks {
		info := s.Tasks[t.ID]
		for _, before := range info.After {
			if b, ok := g.index[before]; ok && b != i {
				add(b, i, prerequisite)
			}
		}
		if parent, ok := g.index[info.Parent]; ok && parent != i && info.Parent != info.Run {
			add(parent, i, launched)
		}
	}
	rest := make([][2]int, 0, len(steps))
	for pair := range steps {
		rest = append(rest, pair)
	}
	slices.SortFunc(rest, func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	for _, pair := range rest {
		add(pair[0], pair[1], waited)
	}
	g.place()
	return g
}

// place finds the layers, by what comes after what and who launched whom. Edges of a circle, as
// lost records can make one, lead nowhere.
func (g *graph) place() {
	g.layer = make([]int, len(g.tasks))
	degree := make([]int, len(g.tasks))
	next := make([][]int, len(g.tasks))
	for _, e := range g.edges {
		if e.kind != waited {
			degree[e.to]++
			next[e.from] = append(next[e.from], e.to)
		}
	}
	var order []int
	for i, d := range degree {
		if d == 0 {
			order = append(order, i)
		}
	}
	for len(order) > 0 {
		at := order[0]
		order = order[1:]
		g.layers = max(g.layers, g.layer[at]+1)
		for _, n := range next[at] {
			g.layer[n] = max(g.layer[n], g.layer[at]+1)
			if degree[n]--; degree[n] == 0 {
				order = append(order, n)
			}
		}
	}
	for i, d := range degree {
		if d > 0 {
			g.layer[i] = 0
			g.layers = max(g.layers, 1)
		}
	}
}

// times says of a task how long it took, and how much longer it might.
func times(t *profile.TaskUse) string {
	switch {
	case t.Bodies == 0 && t.Failed:
		return "did not run"
	case t.Bodies == 0:
		return "no body"
	case t.Critical:
		return short(t.Time) + ", critical"
	}
	return short(t.Time) + ", slack " + short(t.Slack)
}

// short writes a time with three digits.
func short(d time.Duration) string {
	switch {
	case d < 0:
		return "?"
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d)
	case d < time.Millisecond:
		return digits(float64(d)/float64(time.Microsecond)) + " µs"
	case d < time.Second:
		return digits(float64(d)/float64(time.Millisecond)) + " ms"
	}
	return digits(d.Seconds()) + " s"
}

func digits(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// plain replaces what would not be printed as it is, such as control characters, by U+FFFD.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// cut shortens a text to so many characters.
func cut(s string, most int) string {
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	return string(runes[:most-1]) + "…"
}
