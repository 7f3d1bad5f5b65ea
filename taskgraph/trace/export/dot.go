package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// DOT writes the tasks of a report in the language of Graphviz: each with its time and slack, an
// edge from each prerequisite, a dashed one from who launched it, and the critical path in red. For
// one run of a graph, give the report of it. The report is of the snapshot.
func DOT(w io.Writer, s *trace.Snapshot, r *profile.Report) error {
	g := newGraph(s, r)
	b := bufio.NewWriter(w)
	b.WriteString("digraph tasks {\n\trankdir=LR\n\tnode [shape=box, fontname=\"sans-serif\"]\n")
	for i := range g.tasks {
		t := &g.tasks[i]
		fmt.Fprintf(b, "\tt%d [label=\"%s\\n%s\"", i, dotText(taskName(t.ID, t.Name)),
			dotText(times(t)))
		if g.onPath[i] {
			b.WriteString(", color=\"#d00000\", penwidth=2")
		}
		if t.Failed {
			b.WriteString(", style=dotted")
		}
		b.WriteString("]\n")
	}
	for _, e := range g.edges {
		var how []string
		switch e.kind {
		case launched:
			how = append(how, "style=dashed")
		case waited:
			how = append(how, "style=dotted", "constraint=false")
		}
		if e.critical {
			how = append(how, "color=\"#d00000\"", "penwidth=2")
		}
		fmt.Fprintf(b, "\tt%d -> t%d", e.from, e.to)
		if len(how) > 0 {
			fmt.Fprintf(b, " [%s]", strings.Join(how, ", "))
		}
		b.WriteString("\n")
	}
	b.WriteString("}\n")
	return b.Flush()
}

// dotText escapes a text for a quoted string, in which a backslash would begin an escape.
func dotText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(plain(s))
}
