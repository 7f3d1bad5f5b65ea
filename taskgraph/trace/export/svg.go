package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// xmlText escapes a text for markup and for attributes in double quotes.
func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'",
		"&#39;").Replace(plain(s))
}

func openSVG(b *bufio.Writer, width, height int) {
	fmt.Fprintf(b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+
			"\n"+`<rect width="100%%" height="100%%" fill="#fff"/>`+"\n", width, height)
}

const critical = "#d00000" // the colour of the critical path

// Sizes of a drawn graph.
const (
	boxWide, boxHigh   = 170, 36
	boxRight, boxBelow = 50, 12 // the space beside a box
	graphMargin        = 30
	graphTop           = 44
	boxLetters         = 27
)

// SVG draws the tasks of a report as DOT does: those that come after no other one on the left, the
// earliest on top.
func SVG(w io.Writer, s *trace.Snapshot, r *profile.Report) error {
	g := newGraph(s, r)
	rows := g.rows()
	b := bufio.NewWriter(w)
	high := 0
	for _, row := range rows {
		high = max(high, row+1)
	}
	width := 2*graphMargin + max(g.layers, 3)*(boxWide+boxRight) - boxRight
	openSVG(b, width, graphTop+high*(boxHigh+boxBelow)+graphMargin)
	fmt.Fprintf(b, `<text x="%d" y="24" font-size="13">work %s, span %s (red), parallelism %.2f</text>`+
		"\n", graphMargin, short(r.Work), short(r.Span), r.Parallelism())
	x := func(i int) int { return graphMargin + g.layer[i]*(boxWide+boxRight) }
	y := func(i int) int { return graphTop + rows[i]*(boxHigh+boxBelow) }
	for _, e := range g.edges {
		color, wide := "#888", 1.0
		if e.critical {
			color, wide = critical, 2.5
		}
		dash := [...]string{"", ` stroke-dasharray="5 3"`, ` stroke-dasharray="1 3"`}[e.kind]
		x1, y1 := x(e.from)+boxWide, y(e.from)+boxHigh/2
		x2, y2 := x(e.to), y(e.to)+boxHigh/2
		fmt.Fprintf(b,
			`<path d="M%d %d C%d %d %d %d %d %d" fill="none" stroke="%s" stroke-width="%.1f"%s/>`+"\n",
			x1, y1, x1+boxRight/2, y1, x2-boxRight/2, y2, x2, y2, color, wide, dash)
	}
	for i := range g.tasks {
		t := &g.tasks[i]
		color, wide, fill := "#555", 1.0, "#f6f6f6"
		if g.onPath[i] {
			color, wide, fill = critical, 2.5, "#fff0f0"
		}
		name := taskName(t.ID, t.Name)
		fmt.Fprintf(b,
			`<g><title>%s: %s</title><rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="%s" stroke="%s" stroke-width="%.1f"/>`+
				"\n"+`<text x="%d" y="%d">%s</text><text x="%d" y="%d" fill="#555">%s</text></g>`+"\n",
			xmlText(name), xmlText(times(t)), x(i), y(i), boxWide, boxHigh, fill, color, wide,
			x(i)+6, y(i)+15, xmlText(cut(name, boxLetters)), x(i)+6, y(i)+29, xmlText(times(t)))
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}

// rows gives the tasks of each layer rows, in the order in which they began.
func (g *graph) rows() []int {
	order := make([]int, len(g.tasks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(g.tasks[a].Began, g.tasks[b].Began)
	})
	used := make([]int, g.layers)
	rows := make([]int, len(g.tasks))
	for _, i := range order {
		rows[i] = used[g.layer[i]]
		used[g.layer[i]]++
	}
	return rows
}
