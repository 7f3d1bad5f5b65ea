package frame

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// classColors are those of the four classes.
var classColors = [...]string{"white", "lightgoldenrod", "lightsalmon", "palegreen", "lightblue"}

// writeDOT draws the frame, each step with its serial time. Arrows go from a step to those after it; a dashed one says that it
// feeds them object by object, a dotted one that they find out whether they have to wait. The critical path is red.
func writeDOT(w io.Writer, p *plan, c cost) error {
	path, length := p.criticalPath(c)
	next := make(map[int]int, len(path))
	critical := make(map[int]bool, len(path))
	for k, i := range path {
		critical[i] = true
		if k > 0 {
			next[path[k-1]] = i
		}
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "digraph frame {\n\tlabel=\"a frame; critical path %v; the render thread is one frame behind\";\n", length.Round(10*time.Microsecond))
	fmt.Fprint(b, "\trankdir=LR;\n\tnode [shape=box, style=filled];\n")
	for i := range p.steps {
		s := &p.steps[i]
		attrs := fmt.Sprintf("fillcolor=%s", classColors[s.class])
		if critical[i] {
			attrs += ", color=red, penwidth=2"
		}
		place := ""
		if s.place != anywhere {
			place = "\\n" + s.place.String()
		}
		fmt.Fprintf(b, "\t%q [label=\"%s\\n%.3f ms%s\", %s];\n", s.name, s.name, inMS(c.work[i]), place, attrs)
	}
	for i := range p.steps {
		for _, before := range p.steps[i].follows() {
			attrs := ""
			if p.steps[i].asks != nil && before == p.steps[i].last {
				attrs = "style=dotted"
			} else if fd := p.steps[before].feeds; fd != nil && fd.step == i {
				attrs = "style=dashed"
			}
			if to, ok := next[before]; ok && to == i {
				if attrs != "" {
					attrs += ", "
				}
				attrs += "color=red, penwidth=2"
			}
			fmt.Fprintf(b, "\t%q -> %q [%s];\n", p.steps[before].name, p.steps[i].name, attrs)
		}
	}
	fmt.Fprint(b, "}\n")
	return b.Flush()
}
