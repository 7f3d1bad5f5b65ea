package stuck

import (
	"fmt"
	"strings"
)

// maxDrawn bounds the nodes of a drawing.
const maxDrawn = 300

// DOT returns the first tasks of the report as a graph in the language of Graphviz: an arrow leads
// from what waits to what it waits for; causes are filled, cycles red, what is not stuck is grey.
func (r *Report) DOT() string {
	var b strings.Builder
	b.WriteString("digraph stuck {\n\trankdir=LR;\n\tnode [shape=box, fontname=\"sans-serif\"];\n")
	shown := min(len(r.Tasks), maxDrawn)
	for i := range r.Tasks[:shown] {
		t := &r.Tasks[i]
		label := t.Name
		if t.Site != "" {
			label += "\n" + t.Site
		}
		if t.Why != "" {
			label += "\n" + t.Why
		}
		fmt.Fprintf(&b, "\tn%d [label=%s%s];\n", i, quote(label), t.style())
	}
	for i := range r.Tasks[:shown] {
		t := &r.Tasks[i]
		for k, name := range t.WaitsFor {
			to := -1
			if k < len(t.out) {
				to = t.out[k]
			}
			switch {
			case to >= shown:
			case to >= 0 && t.cyclic && r.Tasks[to].cyclic:
				fmt.Fprintf(&b, "\tn%d -> n%d [color=red];\n", i, to)
			case to >= 0:
				fmt.Fprintf(&b, "\tn%d -> n%d;\n", i, to)
			default:
				fmt.Fprintf(&b, "\tn%d -> x%d_%d;\n\tx%d_%d [shape=plaintext, label=%s];\n", i, i,
					k, i, k, quote(name))
			}
		}
	}
	if more := len(r.Tasks) - shown + r.More; more > 0 {
		fmt.Fprintf(&b, "\tmore [shape=plaintext, label=%s];\n",
			quote(fmt.Sprintf("and %d more", more)))
	}
	b.WriteString("}\n")
	return b.String()
}

func (t *Task) style() string {
	switch {
	case t.root:
		return ", style=filled, fillcolor=gold"
	case t.cyclic:
		return ", color=red"
	case !t.stuck:
		return ", color=grey, fontcolor=grey"
	}
	return ""
}

// quote returns s as a quoted string of DOT, in which only the quote and the backslash are
// special.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
