package debug

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"html"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// A box is one body in the picture.
type box struct {
	task     trace.ID
	lane     int
	depth    int // how many bodies of the lane wait while this one runs
	from, to time.Duration
}

// boxesOf returns the bodies of a report, those of each lane by their ends. One without an end
// still runs.
func boxesOf(s *trace.Snapshot, r *profile.Report) (boxes []box) {
	for i := range s.Lanes {
		var open []box
		end := func(at time.Duration) {
			b := open[len(open)-1]
			open = open[:len(open)-1]
			b.to = at
			if r.Run == 0 || s.Tasks[b.task].Run == r.Run && b.task != r.Run {
				boxes = append(boxes, b)
			}
		}
		for _, e := range s.Lanes[i].Events {
			switch e.Kind {
			case trace.Begin:
				open = append(open, box{task: e.Task, lane: i, depth: len(open), from: e.At})
			case trace.End:
				n := slices.IndexFunc(open, func(b box) bool { return b.task == e.Task })
				for n >= 0 && len(open) > n {
					end(e.At)
				}
			}
		}
		for len(open) > 0 {
			end(s.To)
		}
	}
	return boxes
}

// Sizes of the picture.
const (
	pictureLeft, pictureWide = 110, 1000
	rowHigh, boxHigh         = 30, 24
	colours                  = 8 // in page.css
)

// draw draws the bodies of a report; of those of the window no more than the last ones.
func (v *view) draw(s *trace.Snapshot, r *profile.Report) {
	boxes := boxesOf(s, r)
	v.Bodies = len(boxes)
	if r.Run == 0 && len(boxes) > shownBoxes {
		slices.SortFunc(boxes, func(a, b box) int { return cmp.Compare(a.from, b.from) })
		boxes = boxes[len(boxes)-shownBoxes:]
	}
	v.Boxes = len(boxes)
	if len(boxes) == 0 {
		return
	}
	from, to := boxes[0].from, boxes[0].to
	for _, b := range boxes {
		from, to = min(from, b.from), max(to, b.to)
	}
	v.PictureTime = to - from
	scale := pictureWide / float64(max(to-from, 1))
	x := func(t time.Duration) float64 { return pictureLeft + scale*float64(t-from) }

	// A lane has a row if it has a box. An outer body lies below those that it waits for.
	slices.SortFunc(boxes, func(a, b box) int {
		return cmp.Or(cmp.Compare(a.depth, b.depth), cmp.Compare(a.from, b.from))
	})
	rows, names := make(map[int]int), []int(nil)
	for _, lane := range laneOrder(s) {
		if slices.ContainsFunc(boxes, func(b box) bool { return b.lane == lane }) {
			rows[lane] = len(rows)
			names = append(names, lane)
		}
	}
	var w strings.Builder
	fmt.Fprintf(&w, `<svg viewBox="0 0 %d %d" width="%d" role="img" aria-label="what ran when">`,
		pictureLeft+pictureWide+10, rowHigh*len(rows)+6, pictureLeft+pictureWide+10)
	for row, lane := range names {
		fmt.Fprintf(&w, `<text x="0" y="%d">%s</text>`, rowHigh*row+20,
			html.EscapeString(strings.ToValidUTF8(s.Lanes[lane].Name, "\uFFFD")))
	}
	for _, b := range boxes {
		t := s.Tasks[b.task]
		inset := min(4*b.depth, boxHigh-6)
		path := ""
		if u, ok := r.Task(b.task); ok && u.Critical {
			path = " path"
		}
		fmt.Fprintf(&w, `<rect class="body c%d%s" x="%.2f" y="%d" width="%.2f" height="%d"><title>`+
			`%s, %s</title></rect>`, colourOf(t.Name), path, x(b.from),
			rowHigh*rows[b.lane]+3+inset, max(scale*float64(b.to-b.from), 0.3), boxHigh-inset,
			html.EscapeString(strings.ToValidUTF8(t.Name, "\uFFFD")), took(b.to-b.from))
	}
	w.WriteString("</svg>")
	v.Picture = template.HTML(w.String()) // names are escaped, and all else is numbers
}

// colourOf gives a name the same colour every time.
func colourOf(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return h.Sum32() % colours
}
