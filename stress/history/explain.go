package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Explain draws a history that is not linearizable: time runs down, each thread has a column, and
// the drawing ends at the return that nothing explains, that is, the first one after which there is
// no order for the calls that have returned. (Calls that have not by then may stand in the order or
// not, with what they return later.) All before that is the longest prefix that is linearizable; an
// order for it is given. Explain returns "" if the whole history is linearizable. It panics where
// Linearizable does.
func (c *Checker[S]) Explain(calls []Call) string {
	c.sort(calls)
	defer func() { c.calls = nil }()
	ends := slices.Clone(c.end[:c.n])
	slices.Sort(ends)
	var order []string // of the longest prefix
	for _, at := range slices.Compact(ends) {
		// The calls that have begun at this time, and those that have ended.
		var may, must uint64
		for i := range c.n {
			if c.begin[i] <= at {
				may |= 1 << i
			}
			if c.end[i] <= at && c.pending>>i&1 == 0 {
				must |= 1 << i
			}
		}
		length, ok := c.search(may, must)
		if !ok {
			return c.draw(at, order)
		}
		order = order[:0]
		for _, f := range c.frames[1 : length+1] {
			order = append(order, c.name(&calls[c.index[f.last]]))
		}
	}
	return ""
}

func (c *Checker[S]) name(call *Call) string {
	if c.spec.Name == nil {
		return numbers(call)
	}
	return c.spec.Name(call)
}

// draw is the picture of a history of which no order explains the returns until at.
func (c *Checker[S]) draw(at int64, order []string) string {
	rows := drawing{at: at}
	for i := range c.n {
		if call := &c.calls[c.index[i]]; call.Begin <= at {
			rows.call(call, c.name(call))
		}
	}
	var b strings.Builder
	rows.write(&b)
	if len(order) == 0 {
		order = []string{"nothing"}
	}
	fmt.Fprintf(&b, "before that: %s\n", strings.Join(order, ", "))
	return b.String()
}

// A drawing gathers the boxes of the calls in the order in which they began.
type drawing struct {
	at    int64
	lanes []lane
	times []int64
}

// A lane is a column: a thread, or a part of one whose calls overlap.
type lane struct {
	thread int32
	boxes  []box
	width  int
}

// A box is one or several calls with the same begin and end.
type box struct {
	begin, end int64
	name       string
}

// boxMarks is what is drawn around a name at most.
const boxMarks = len("[ ") + len(" ]")

func (d *drawing) call(c *Call, name string) {
	begin, end := c.Begin, c.end()
	d.times = append(d.times, begin, end)
	for i := range d.lanes {
		l := &d.lanes[i]
		last := &l.boxes[len(l.boxes)-1]
		switch {
		case l.thread != c.Thread:
		case last.begin == begin && last.end == end:
			last.name += "; " + name
			l.width = max(l.width, len(last.name)+boxMarks)
			return
		case last.end <= begin:
			l.boxes = append(l.boxes, box{begin, end, name})
			l.width = max(l.width, len(name)+boxMarks)
			return
		}
	}
	l := lane{thread: c.Thread, boxes: []box{{begin, end, name}}}
	l.width = max(len(name)+boxMarks, len(fmt.Sprint("thread ", c.Thread)))
	d.lanes = append(d.lanes, l)
}

// write draws a row for each time; a call is a box from its name to a stroke.
func (d *drawing) write(b *strings.Builder) {
	slices.SortStableFunc(d.lanes, func(a, b lane) int { return cmp.Compare(a.thread, b.thread) })
	slices.Sort(d.times)
	d.times = slices.Compact(d.times)
	timeWidth := len("time")
	for _, t := range d.times {
		timeWidth = max(timeWidth, len(fmt.Sprint(min(t, d.at))))
	}
	row := func(time string, cell func(l *lane) string) {
		line := fmt.Sprintf("%*s", timeWidth, time)
		for i := range d.lanes {
			line += "  " + fmt.Sprintf("%-*s", d.lanes[i].width, cell(&d.lanes[i]))
		}
		b.WriteString(strings.TrimRight(line, " "))
	}
	row("time", func(l *lane) string { return fmt.Sprint("thread ", l.thread) })
	b.WriteByte('\n')
	for _, t := range d.times {
		if t > d.at {
			break
		}
		row(fmt.Sprint(t), func(l *lane) string {
			text := ""
			for _, box := range l.boxes {
				switch {
				case box.begin == t && box.end == t:
					text = "[ " + box.name + " ]"
				case box.begin == t && text == "'":
					text = "'[ " + box.name
				case box.begin == t:
					text = "[ " + box.name
				case box.end == t:
					text = "'"
				case box.begin < t && t < box.end:
					text = "|"
				}
			}
			return text
		})
		if t == d.at {
			b.WriteString("  <- no order explains what has returned")
		}
		b.WriteByte('\n')
	}
}
