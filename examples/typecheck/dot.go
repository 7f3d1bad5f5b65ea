package main

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// writeDOT draws the graph, each package with its serial time. Arrows go from a package
// to those that import it, as the work does. The critical path is red; a package with
// errors is filled red, a skipped one grey.
func writeDOT(w io.Writer, g *graph, m *measurement) error {
	path, length := g.criticalPath(m.weight)
	// The next package on the critical path, by the number of the one before.
	next := make(map[int]int, len(path))
	for k := 1; k < len(path); k++ {
		next[path[k-1]] = path[k]
	}
	critical := make(map[int]bool, len(path))
	for _, i := range path {
		critical[i] = true
	}

	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "digraph imports {\n\tlabel=\"critical path: %d packages, %v\";\n", len(path), length.Round(100*time.Microsecond))
	fmt.Fprint(b, "\trankdir=LR;\n\tnode [shape=box, style=filled, fillcolor=white];\n")
	for i := range g.pkgs {
		attrs := ""
		if critical[i] {
			attrs += ", color=red, penwidth=2"
		}
		switch r := &m.outcomes[i]; {
		case len(r.errs) > 0:
			attrs += ", fillcolor=salmon"
		case r.cause != nil:
			attrs += ", fillcolor=lightgrey"
		}
		took := fmt.Sprintf("%.1f ms", inMS(m.weight[i]))
		fmt.Fprintf(b, "\t%q [label=\"%s\\n%s\"%s];\n", g.pkgs[i].path, g.pkgs[i].path, took, attrs)
	}
	for i := range g.pkgs {
		for _, imp := range g.pkgs[i].imports {
			attrs := ""
			if to, ok := next[imp]; ok && to == i {
				attrs = " [color=red, penwidth=2]"
			}
			fmt.Fprintf(b, "\t%q -> %q%s;\n", g.pkgs[imp].path, g.pkgs[i].path, attrs)
		}
	}
	fmt.Fprint(b, "}\n")
	return b.Flush()
}
