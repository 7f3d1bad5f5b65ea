package frame

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
)

// A strip is what everybody did in one frame: those calls that a recorder has noted.
type strip struct {
	plan   *plan
	frame  int
	from   time.Duration
	length time.Duration
	bars   []span   // in order of time
	names  []string // of the lanes
	ends   []span   // of each step, the call that ended last; none: its end is 0
	// steps: each but the first waited for the one before it, which ended last of those that it
	// comes after
	path []int
}

// drawLanes draws the frame that took as long as half of those that a contestant has noted.
func drawLanes(w io.Writer, c *contestant) error {
	frames := framesOf(c)
	if len(frames) == 0 {
		return fmt.Errorf("no frame was noted as a whole")
	}
	slices.SortFunc(frames, func(a, b span) int {
		return cmp.Compare(a.end-a.start, b.end-b.start)
	})
	return newStrip(c, frames[len(frames)/2]).draw(w)
}

// framesOf returns the spans of whole frames, but for the first few and those that there was no
// room for in some lane.
func framesOf(c *contestant) (frames []span) {
	full := time.Duration(1<<63 - 1)
	for _, l := range c.rec.lanes {
		if n := len(l.spans); n > 0 && n == cap(l.spans) {
			full = min(full, l.spans[n-1].end)
		}
	}
	game := c.rec.lanes[len(c.rec.lanes)-len(threadNames)]
	for _, s := range game.spans {
		if int(s.step) == len(c.plan.steps)+wholeFrame && s.end < full &&
			(s.frame >= 10 || len(game.spans) < 10) {
			frames = append(frames, s)
		}
	}
	return frames
}

func newStrip(c *contestant, whole span) *strip {
	t := &strip{plan: c.plan, frame: int(whole.frame), from: whole.start,
		length: whole.end - whole.start, ends: make([]span, len(c.plan.steps))}
	for _, l := range c.rec.lanes {
		used := false
		for _, s := range l.spans {
			if k := int(s.step); k != len(c.plan.steps)+wholeFrame && s.end > whole.start &&
				s.start < whole.end {
				s.lane = int32(len(t.names))
				t.bars = append(t.bars, s)
				used = true
				if k < len(t.ends) && s.end > t.ends[k].end {
					t.ends[k] = s
				}
			}
		}
		if used {
			t.names = append(t.names, l.name)
		}
	}
	slices.SortFunc(t.bars, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	t.path = t.critical(c.graph.scarce)
	return t
}

// critical follows from the step that ended last, again and again, the one that it had to wait for
// the longest.
func (t *strip) critical(scarce bool) []int {
	at := 0
	for k := range t.ends {
		if t.ends[k].end > t.ends[at].end {
			at = k
		}
	}
	path := []int{at}
	for {
		s := &t.plan.steps[at]
		before := s.follows()
		if s.place.later() && len(before) == 0 && scarce {
			before = t.plan.gate
		}
		next := -1
		for _, b := range before {
			if t.ends[b].end > 0 && (next < 0 || t.ends[b].end > t.ends[next].end) {
				next = b
			}
		}
		if next < 0 {
			slices.Reverse(path)
			return path
		}
		at = next
		path = append(path, at)
	}
}

// Colours of what is done, by kind of work.
var workColors = [works]string{"#e8743b", "#5aa469", "#e0b13c", "#6a8fd8", "#9a9a9a"}

const (
	stripLeft, stripWidth = 90, 1100
	stripTop, stripLane   = 56, 30
)

func (t *strip) x(at time.Duration) float64 {
	at = min(max(at-t.from, 0), t.length)
	return stripLeft + stripWidth*float64(at)/float64(t.length)
}

func (t *strip) y(lane int32) int { return stripTop + stripLane*int(lane) }

// draw writes the strip: a lane a worker and a thread, a bar a call in the colour of its work, and
// in red the critical path.
func (t *strip) draw(w io.Writer) error {
	b := bufio.NewWriter(w)
	high := stripTop + stripLane*len(t.names) + 40
	fmt.Fprintf(b,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+
			"\n", stripLeft+stripWidth+20, high)
	fmt.Fprintf(b,
		`<rect width="100%%" height="100%%" fill="#fff"/><text x="%d" y="18" font-size="13">frame %d, %.2f ms; red: the critical path</text>`+
			"\n", stripLeft, t.frame, figures.MS(t.length))
	for k, name := range workNames {
		fmt.Fprintf(b,
			`<rect x="%d" y="28" width="12" height="12" fill="%s"/><text x="%d" y="38">%s</text>`+
				"\n", stripLeft+150*k, workColors[k], stripLeft+150*k+16, name)
	}
	for i, name := range t.names {
		fmt.Fprintf(b,
			`<rect x="%d" y="%d" width="%d" height="%d" fill="#f3f3f3"/><text x="%d" y="%d" text-anchor="end">%s</text>`+
				"\n",
			stripLeft, t.y(int32(i)), stripWidth, stripLane-6, stripLeft-8, t.y(int32(i))+16, name)
	}
	for _, s := range t.bars {
		name, color := "between frames", workColors[workOther]
		if k := int(s.step); k < len(t.plan.steps) {
			name, color = t.plan.steps[k].name, workColors[t.plan.steps[k].kind()]
		}
		x, wide := t.x(s.start), max(t.x(s.end)-t.x(s.start), 0.3)
		fmt.Fprintf(b,
			`<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"><title>%s %.3f ms</title></rect>`+
				"\n", x, t.y(s.lane), wide, stripLane-6, color, name, figures.MS(s.end-s.start))
		if wide > 7*float64(len(name)) {
			fmt.Fprintf(b, `<text x="%.1f" y="%d" fill="#fff">%s</text>`+"\n", x+3, t.y(s.lane)+16,
				name)
		}
	}
	t.red(b)
	for ms := range int(t.length/time.Millisecond) + 1 {
		x := t.x(t.from + time.Duration(ms)*time.Millisecond)
		fmt.Fprintf(b,
			`<path d="M%.1f %d v6" stroke="#555"/><text x="%.1f" y="%d" text-anchor="middle">%d ms</text>`+
				"\n", x, high-38, x, high-18, ms)
	}
	fmt.Fprint(b, "</svg>\n")
	return b.Flush()
}

// red draws the critical path: under each step's last call from when the step before had ended, and
// from there on to the next one.
func (t *strip) red(w io.Writer) {
	since := t.from
	d := ""
	for i, k := range t.path {
		e := t.ends[k]
		y := t.y(e.lane) + stripLane - 4
		to := "L"
		if i == 0 {
			to = "M"
		}
		d += fmt.Sprintf("%s%.1f %d L%.1f %d ", to, t.x(max(since, t.from)), y, t.x(e.end), y)
		since = e.end
	}
	fmt.Fprintf(w, `<path d="%s" fill="none" stroke="#d00000" stroke-width="2.5"/>`+"\n", d)
}
