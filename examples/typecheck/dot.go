package main

import (
	"fmt"
	"io"
	"time"

	"github.com/heddle-go/heddle/examples/internal/dag"
	"github.com/heddle-go/heddle/examples/internal/figures"
)

// writeDOT draws the graph, each package with its serial time. Arrows go from a package
// to those that import it, as the work does. The critical path is red; a package with
// errors is filled red, a skipped one grey.
func writeDOT(w io.Writer, g *graph, m *measurement) error {
	path, length := g.order().LongestPath(m.weight)
	return g.order().Draw(w, dag.Drawing{
		Name: "imports", Path: path,
		Caption: fmt.Sprintf("critical path: %d packages, %v", len(path),
			length.Round(100*time.Microsecond)),
		Node: func(i int) (name, text, attributes string) {
			switch r := &m.outcomes[i]; {
			case len(r.errs) > 0:
				attributes = "fillcolor=salmon"
			case r.cause != nil:
				attributes = "fillcolor=lightgrey"
			}
			return g.pkgs[i].path, fmt.Sprintf("%.1f ms", figures.MS(m.weight[i])), attributes
		},
	})
}
