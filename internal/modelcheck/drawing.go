package modelcheck

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Places and sizes of a drawing, in its own units, which are pixels unless it is scaled.
const (
	glyph     = 7.8 // the width of a letter, and a little more than most fonts need
	margin    = 16
	numbers   = 44 // the column of the steps' numbers
	lineHigh  = 18 // a line of text
	stepHigh  = 46 // a step: a line for the operation and one for the rest
	markHigh  = 28 // what happens between steps
	laneLeast = 130
	laneMost  = 52 // letters
	textMost  = 120
	textLines = 12 // of what is wrong
)

// style colours a drawing for both kinds of surroundings.
const style = `
:root { color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --pale: #59636e; --lane: #d1d9e0;
  --turn: #8c959f; --stop: #9a6700; --bad: #cf222e; --wash: #ffebe9; --note: #0969da;
  --run: #1a7f37; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0d1117; --ink: #e6edf3; --pale: #9198a1; --lane: #30363d; --turn: #6e7681;
    --stop: #d29922; --bad: #f85149; --wash: #3c1618; --note: #4493f8; --run: #3fb950; } }
.paper { fill: var(--paper); }
text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: var(--ink); white-space: pre; }
.title, .name { font-weight: bold; }
.pale { fill: var(--pale); }
.lane { stroke: var(--lane); }
.run { stroke: var(--run); stroke-width: 4; stroke-linecap: round; }
.turn { stroke: var(--turn); fill: none; }
.forced { stroke: var(--stop); stroke-width: 2; stroke-dasharray: 5 4; fill: none; }
.dot { fill: var(--run); stroke: var(--paper); stroke-width: 2; }
.write { fill: var(--note); }
.stop { fill: var(--stop); }
.note { fill: var(--note); }
.bad { fill: var(--bad); font-weight: bold; }
.wash { fill: var(--wash); stroke: var(--bad); }
`

// A canvas is an SVG document that is being written.
type canvas struct{ bytes.Buffer }

// text writes a text, the whole of which a reader sees who points at it.
func (c *canvas) text(class string, x, y float64, most int, text string) {
	fmt.Fprintf(c, `<text class="%s" x="%.1f" y="%.1f" xml:space="preserve">`, class, x, y)
	shown := text
	if utf8.RuneCountInString(text) > most {
		shown = string([]rune(text)[:most-1]) + "…"
		c.WriteString("<title>")
		c.escape(text)
		c.WriteString("</title>")
	}
	c.escape(shown)
	c.WriteString("</text>\n")
}

func (c *canvas) escape(text string) {
	_ = xml.EscapeText(c, []byte(strings.ReplaceAll(text, "\t", "    "))) // a buffer takes all
}

// lanes are where the threads of a drawing are.
type lanes struct {
	at   []float64 // each thread's line
	wide []float64
	full float64
}

func (f *Failure) lanes() (s lanes) {
	s.wide = make([]float64, f.threads)
	for t := range s.wide {
		s.wide[t] = laneLeast
	}
	for i := range f.lines {
		l := &f.lines[i]
		if l.thread < 0 || l.kind == rowFails {
			continue
		}
		n := max(utf8.RuneCountInString(l.what), utf8.RuneCountInString(l.detail()))
		s.wide[l.thread] = max(s.wide[l.thread], glyph*float64(min(n, laneMost))+3*margin)
	}
	x := float64(margin + numbers)
	for _, w := range s.wide {
		s.at = append(s.at, x+margin/2)
		x += w
	}
	s.full = x + margin
	return s
}

// detail is the second line of a step.
func (l *line) detail() string {
	var parts []string
	if l.value != "" {
		parts = append(parts, l.value)
	}
	if l.word != "" {
		parts = append(parts, "word "+l.word)
	}
	if l.where != "" {
		parts = append(parts, l.where)
	}
	return strings.Join(parts, " · ")
}

// Drawing returns the execution as an SVG document under a title: time runs down, each thread has
// a lane. It is nil if there is no trace.
func (f *Failure) Drawing(title string) []byte {
	if len(f.lines) == 0 {
		return nil
	}
	lanes := f.lanes()
	head := []string{title}
	head = append(head, strings.Split(strings.TrimRight(f.Text, "\n"), "\n")...)
	if len(head) > textLines {
		head = append(head[:textLines], "...")
	}
	for _, text := range head {
		n := min(utf8.RuneCountInString(text), textMost)
		lanes.full = max(lanes.full, glyph*float64(n)+2*margin)
	}
	foot := fmt.Sprintf("schedule %s, %d preemptions", f.Schedule, f.Preemptions)
	lanes.full = max(lanes.full,
		glyph*float64(min(utf8.RuneCountInString(foot), textMost))+2*margin)

	var body canvas
	y := float64(margin)
	for i, text := range head {
		class := "bad"
		if i == 0 {
			class = "title"
		}
		y += lineHigh
		body.text(class, margin, y, textMost, text)
	}
	y += lineHigh
	body.text("pale", margin, y, textMost, foot)
	y += 2 * lineHigh
	for t, x := range lanes.at {
		body.text("name", x-4, y, laneMost, "thread "+name(t))
	}
	y += lineHigh / 2
	top := y
	var marks canvas
	y = f.marks(&marks, lanes, y)
	for _, x := range lanes.at {
		fmt.Fprintf(&body, `<line class="lane" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", x,
			top, x, y)
	}
	body.Write(marks.Bytes())

	var c canvas
	high := y + margin
	fmt.Fprintf(&c, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+
		`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%.0f" height="%.0f" `+
		`viewBox="0 0 %.0f %.0f">`+"\n<title>", lanes.full, high, lanes.full, high)
	c.escape(title)
	fmt.Fprintf(&c, "</title>\n<style>%s</style>\n"+
		`<rect class="paper" width="100%%" height="100%%"/>`+"\n", style)
	c.Write(body.Bytes())
	c.WriteString("</svg>\n")
	return c.Bytes()
}

// marks draws the lines of an execution from y on, and returns where they end.
func (f *Failure) marks(c *canvas, lanes lanes, y float64) float64 {
	last, from := -1, 0.0 // the thread that moved last, and where it did
	forced := false
	for i := range f.lines {
		l := &f.lines[i]
		if l.thread < 0 && l.kind != rowFails {
			c.text("pale", margin+numbers, y+lineHigh, textMost, l.what)
			y += markHigh
			last = -1
			continue
		}
		x := lanes.full
		if l.thread >= 0 {
			x = lanes.at[l.thread]
		}
		switch l.kind {
		case rowStep:
			at := y + stepHigh/2 - 6
			switch {
			case last == l.thread:
				fmt.Fprintf(c, `<line class="run" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n",
					x, from, x, at)
			case last >= 0:
				class := "turn"
				if forced {
					class = "forced"
				}
				old := lanes.at[last]
				middle := at - stepHigh/2 + 4 // below what is written of the last step
				fmt.Fprintf(c, `<path class="%s" d="M %.1f %.1f V %.1f H %.1f V %.1f"/>`+"\n",
					class, old, from, middle, x, at)
			}
			dot := "dot"
			if strings.Contains(l.value, " -> ") {
				dot = "dot write"
			}
			fmt.Fprintf(c, `<circle class="%s" cx="%.1f" cy="%.1f" r="6"/>`+"\n", dot, x, at)
			c.text("pale", margin, at+4, laneMost, fmt.Sprint(l.step))
			c.text("op", x+margin, at, laneMost, l.what)
			c.text("pale", x+margin, at+lineHigh-2, laneMost, l.detail())
			last, from, forced = l.thread, at, false
			y += stepHigh
		case rowFails:
			y += markHigh / 2
			fmt.Fprintf(c, `<rect class="wash" x="%d" y="%.1f" width="%.1f" height="%d"/>`+"\n",
				margin/2, y, lanes.full-margin, stepHigh)
			if l.thread >= 0 {
				fmt.Fprintf(c, `<circle class="bad" cx="%.1f" cy="%.1f" r="6"/>`+"\n", x, y)
			}
			who := "at the end: "
			if l.thread >= 0 {
				who = "thread " + name(l.thread) + ": "
			}
			c.text("bad", margin, y+lineHigh, textMost, who+strings.TrimPrefix(l.what, "-- "))
			c.text("pale", margin, y+2*lineHigh, textMost, l.where)
			y += stepHigh + markHigh/2
		default:
			class := "pale"
			switch l.kind {
			case rowNote:
				class = "note"
			case rowPreempted, rowSuspended, rowStays:
				class = "stop"
			}
			if l.kind == rowPreempted {
				forced = true
			}
			text := strings.TrimPrefix(l.what, "-- ")
			c.text(class, x+margin, y+lineHigh, laneMost, text)
			if l.kind == rowPreempted || l.kind == rowStays {
				c.text("pale", x+margin, y+2*lineHigh, laneMost, l.detail())
				y += lineHigh
			}
			y += markHigh
		}
	}
	return y
}
