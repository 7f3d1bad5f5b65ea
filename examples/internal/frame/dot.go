package frame

import (
	"fmt"
	"io"
	"time"

	"github.com/heddle-go/heddle/examples/internal/dag"
	"github.com/heddle-go/heddle/examples/internal/figures"
)

// classColors are those of the four classes.
var classColors = [...]string{"white", "lightgoldenrod", "lightsalmon", "palegreen", "lightblue"}

// writeDOT draws the frame, each step with its serial time. Arrows go from a step to those after
// it; a dashed one says that it feeds them object by object, a dotted one that they find out
// whether they have to wait. The critical path is red.
func writeDOT(w io.Writer, p *plan, c cost) error {
	path, length := p.criticalPath(c)
	return p.order().Draw(w, dag.Drawing{
		Name: "frame", Path: path,
		Caption: fmt.Sprintf("a frame; critical path %v; the render thread is one frame behind",
			length.Round(10*time.Microsecond)),
		Node: func(i int) (name, text, attributes string) {
			s := &p.steps[i]
			text = fmt.Sprintf("%.3f ms", figures.MS(c.work[i]))
			if s.place != anywhere {
				text += "\\n" + s.place.String()
			}
			return s.name, text, "fillcolor=" + classColors[s.class]
		},
		Arrow: func(from, to int) string {
			if s := &p.steps[to]; (s.asks != nil || s.first != nil) && from == s.last {
				return "style=dotted"
			}
			if p.steps[from].isFeeding(to) {
				return "style=dashed"
			}
			return ""
		},
	})
}
