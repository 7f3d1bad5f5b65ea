package export

import (
	"bufio"
	"cmp"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/nest"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// Sizes of drawn lanes.
const (
	lanesLeft, lanesWide = 130, 1100
	lanesTop, laneHigh   = 62, 30
	barHigh, barInset    = 24, 4
	thinnest             = 0.15 // of a bar that is drawn
)

var palette = []string{"#e8743b", "#5aa469", "#c99a20", "#6a8fd8", "#a06fc0", "#4fa8a8", "#c0607a",
	"#7a8a4a", "#8a6a4a", "#5f6f8f"}

// color returns the colour of a name: those that took longest have one each, so what the legend
// names can be told apart; the others go by their names.
func (p *picture) color(name string) string {
	if p.colors == nil {
		p.colors = make(map[string]string)
		for _, n := range p.r.Names {
			if len(p.colors) == len(palette) {
				break
			}
			if _, ok := p.colors[n.Name]; !ok {
				p.colors[n.Name] = palette[len(p.colors)]
			}
		}
	}
	if c, ok := p.colors[name]; ok {
		return c
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return palette[h.Sum32()%uint32(len(palette))]
}

// Lanes draws what each lane did in the window of a report: a bar for each body and range, inset
// where one ran inside another's wait, in the colour of its name; light where a body waited; grey
// where the lane slept; and below the bars, in red, the critical path. Bars that are too thin to be
// seen beside the one before are left out. The report is of the snapshot.
func Lanes(w io.Writer, s *trace.Snapshot, r *profile.Report) error {
	p := &picture{b: bufio.NewWriter(w), s: s, r: r}
	rows := p.measure()
	high := lanesTop + laneHigh*rows + 40
	openSVG(p.b, lanesLeft+lanesWide+20, high)
	fmt.Fprintf(p.b,
		`<text x="%d" y="18" font-size="13">%s, work %s, span %s; red: the critical path</text>`+"\n",
		lanesLeft, short(r.To-r.From), short(r.Work), short(r.Span))
	p.legend()
	for lane := range s.Lanes {
		p.lane(lane)
	}
	p.path()
	p.scale(high)
	p.b.WriteString("</svg>\n")
	return p.b.Flush()
}

type picture struct {
	b *bufio.Writer
	s *trace.Snapshot
	r *profile.Report

	colors map[string]string // of names, see color
	rows   []int             // the first row of each lane
}

// measure gives each lane its rows.
func (p *picture) measure() (rows int) {
	for lane := range p.s.Lanes {
		p.rows = append(p.rows, rows)
		most := 1
		nest.Walk(&p.s.Lanes[lane], p.r.From, p.r.To, func(op nest.Op) {
			most = max(most, op.Row+1)
		})
		rows += most
	}
	return rows
}

func (p *picture) x(at time.Duration) float64 {
	whole := max(p.r.To-p.r.From, 1)
	at = min(max(at-p.r.From, 0), whole)
	return lanesLeft + lanesWide*float64(at)/float64(whole)
}

func (p *picture) legend() {
	for i, n := range p.r.Names[:min(len(p.r.Names), 8)] {
		x := lanesLeft + 137*i
		name := cmp.Or(n.Name, "(no name)")
		fmt.Fprintf(p.b,
			`<rect x="%d" y="32" width="12" height="12" fill="%s"/><text x="%d" y="42">%s</text>`+"\n",
			x, p.color(n.Name), x+16, xmlText(cut(name, 18)))
	}
}

// A bar is a stretch on a lane.
type bar struct {
	kind   trace.Kind
	task   trace.ID
	at, to time.Duration
	row    int
	level  int // how many bars are around it
}

// lane draws the bars of a lane, those inside of others later.
func (p *picture) lane(lane int) {
	l := &p.s.Lanes[lane]
	fmt.Fprintf(p.b,
		`<rect x="%d" y="%d" width="%d" height="%d" fill="#f3f3f3"/><text x="%d" y="%d" text-anchor="end">%s</text>`+
			"\n", lanesLeft, p.y(lane, 0), lanesWide, barHigh, lanesLeft-8, p.y(lane, 0)+16,
		xmlText(cut(l.Name, 18)))
	var bars []bar
	var open [][]int
	nest.Walk(l, p.r.From, p.r.To, func(op nest.Op) {
		for len(open) <= op.Row {
			open = append(open, nil)
		}
		stack := &open[op.Row]
		switch op.What {
		case nest.Open:
			bars = append(bars, bar{op.Event.Kind, op.Event.Task, op.At, op.At, op.Row, op.Depth})
			*stack = append(*stack, len(bars)-1)
		case nest.Close:
			n := len(*stack) - 1
			bars[(*stack)[n]].to = op.At
			*stack = (*stack)[:n]
		}
	})
	slices.SortStableFunc(bars, func(a, b bar) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.level, b.level))
	})
	drawn := 0.0
	for i := range bars {
		b := &bars[i]
		if i > 0 && (b.row != bars[i-1].row || b.level != bars[i-1].level) {
			drawn = 0
		}
		if to := p.x(b.to); to-p.x(b.at) >= thinnest || to >= drawn+thinnest {
			drawn = to
			p.bar(p.y(lane, b.row), b)
		}
	}
}

func (p *picture) y(lane, row int) int { return lanesTop + laneHigh*(p.rows[lane]+row) }

func (p *picture) bar(y int, b *bar) {
	inset := min(barInset*b.level, barHigh/2)
	x, wide := p.x(b.at), max(p.x(b.to)-p.x(b.at), 0.3)
	known := p.s.Tasks[b.task]
	name, fill := taskName(b.task, known.Name), p.color(known.Name)
	title, label := name, name
	switch b.kind {
	case trace.Wait:
		title, label, fill = name+" waits", "", "#ffffff"
	case trace.Blocked:
		title, label, fill = name+" in Blocking", "", "#dddddd"
	case trace.Park:
		title, label, fill = "asleep", "", "#e4e4e4"
	case trace.Range:
		title, label = "range of "+name, ""
	}
	opacity := ""
	if b.kind == trace.Wait {
		opacity = ` fill-opacity="0.6"`
	}
	fmt.Fprintf(p.b,
		`<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"%s><title>%s, %s</title></rect>`+"\n",
		x, y+inset, wide, barHigh-inset, fill, opacity, xmlText(title), short(b.to-b.at))
	if letters := int(wide / 7); label != "" && letters > 3 {
		fmt.Fprintf(p.b, `<text x="%.1f" y="%d" fill="#fff">%s</text>`+"\n", x+3, y+16,
			xmlText(cut(label, letters)))
	}
}

// path draws the critical path below the bars of its tasks: each from where its part of the path
// began, and then on to the next one.
func (p *picture) path() {
	command := "M"
	for _, step := range p.r.Path {
		t, ok := p.r.Task(step.Task)
		if !ok || t.Lane < 0 {
			continue
		}
		if command == "M" {
			fmt.Fprint(p.b, `<path fill="none" stroke="`+critical+`" stroke-width="2.5" d="`)
		}
		y := p.y(t.Lane, 0) + barHigh + 2
		fmt.Fprintf(p.b, "%s%.1f %d L%.1f %d ", command, p.x(step.Begin), y,
			p.x(step.Begin+step.Time), y)
		command = "L"
	}
	if command == "L" {
		fmt.Fprint(p.b, `"/>`+"\n")
	}
}

// scale draws the time below the lanes.
func (p *picture) scale(high int) {
	whole := p.r.To - p.r.From
	unit := time.Duration(1)
	for ten := unit; whole/unit > 12; ten *= 10 {
		for _, unit = range []time.Duration{ten, 2 * ten, 5 * ten} {
			if whole/unit <= 12 {
				break
			}
		}
	}
	for at := time.Duration(0); at <= whole; at += unit {
		x := p.x(p.r.From + at)
		fmt.Fprintf(p.b,
			`<path d="M%.1f %d v6" stroke="#555"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x, high-38, x, high-18, short(at))
	}
}
