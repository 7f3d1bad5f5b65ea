package main

import (
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A picture is a plot and how it is stored.
type picture struct {
	file          string
	plot          *plot.Plot
	width, height vg.Length
}

// plots returns the pictures of a section: bars with ranges, curves over the numbers of
// workers if there is more than one, and the distribution if samples are single measurements.
func (s section) plots() []picture {
	var good []record
	for _, r := range s.records {
		if r.Median != nil && *r.Median > 0 && *r.Min > 0 {
			good = append(good, r)
		}
	}
	if len(good) == 0 {
		return nil
	}
	height := vg.Length(len(good))*14 + 90
	all := []picture{{s.work.name + "-bars.svg", s.barPlot(good), 560, height}}
	if p := s.scalingPlot(good); p != nil {
		all = append(all, picture{s.work.name + "-scaling.svg", p, 560, 380})
	}
	if !s.work.single {
		return all
	}
	for _, group := range byWorkers(good) {
		name := s.work.name + "-latency"
		if s.work.fixed == 0 {
			name += "-" + strconv.Itoa(group[0].Workers)
		}
		all = append(all, picture{name + ".svg", s.latencyPlot(group), 560, 380})
	}
	return all
}

// byWorkers groups records by their number of workers.
func byWorkers(records []record) (groups [][]record) {
	at := map[int]int{}
	for _, r := range records {
		i, ok := at[r.Workers]
		if !ok {
			i = len(groups)
			at[r.Workers], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

func (s section) newPlot(kind string) *plot.Plot {
	p := plot.New()
	p.Title.Text = s.work.name + kind
	p.BackgroundColor = color.White
	p.Legend.Top = true
	p.Title.TextStyle.Font.Size = 12
	p.Title.Padding = 8
	p.Legend.TextStyle.Font.Size = 8
	p.Legend.Padding = 2
	return p
}

// barPlot shows the medians as bars over a logarithmic scale, and the ranges on them.
func (s section) barPlot(records []record) *plot.Plot {
	p := s.newPlot("")
	p.X.Label.Text = s.work.unit + ", logarithmic; the line is the range of the turns"
	var names []string
	for _, r := range slices.Backward(records) { // the first on top
		name := r.Runtime
		if s.work.fixed == 0 {
			name += workersLabel(r.Workers)
		}
		names = append(names, "  "+name) // the space is what the text measures too short
	}
	low, high := math.Inf(1), 0.0
	for _, r := range records {
		low, high = min(low, *r.Min), max(high, *r.Max)
	}
	logScale(&p.X, low/2, high)
	p.Add(&bars{records: records})
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.6, float64(len(records))-0.4
	p.Y.Tick.Label.Font.Size = 8
	p.X.Tick.Label.Font.Size = 8
	return p
}

// bars draws a bar from the edge to each median, since a logarithmic scale has no zero.
type bars struct{ records []record }

func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	const half = 4
	for i, r := range b.records {
		at := y(float64(len(b.records) - 1 - i))
		fill := color.RGBA{R: 0x9a, G: 0xa5, B: 0xb1, A: 0xff}
		switch {
		case (row{runtime: r.Runtime}).isHeddle():
			fill = color.RGBA{R: 0x1f, G: 0x77, B: 0xb4, A: 0xff}
		case r.Lang == langCPP:
			fill = color.RGBA{R: 0xd6, G: 0x9f, B: 0x5c, A: 0xff}
		}
		left, right := c.Min.X, x(*r.Median)
		c.FillPolygon(fill, []vg.Point{{X: left, Y: at - half}, {X: right, Y: at - half},
			{X: right, Y: at + half}, {X: left, Y: at + half}})
		c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 0.8}, x(*r.Min), at, x(*r.Max), at)
	}
}

// scalingPlot shows the medians over the numbers of workers, or is nil for one number.
func (s section) scalingPlot(records []record) *plot.Plot {
	var order []string
	lines := map[string]plotter.XYs{}
	ranges := map[string]plotter.YErrors{}
	counts := map[int]bool{}
	low, high, most := math.Inf(1), 0.0, 1
	for _, r := range records {
		if lines[r.Runtime] == nil {
			order = append(order, r.Runtime)
		}
		counts[r.Workers] = true
		most = max(most, r.Workers)
		low, high = min(low, *r.Min), max(high, *r.Max)
		lines[r.Runtime] = append(lines[r.Runtime], plotter.XY{X: float64(r.Workers), Y: *r.Median})
		ranges[r.Runtime] = append(ranges[r.Runtime],
			struct{ Low, High float64 }{*r.Median - *r.Min, *r.Max - *r.Median})
	}
	if len(counts) < 2 {
		return nil
	}
	p := s.newPlot(": scaling")
	p.X.Label.Text, p.Y.Label.Text = "workers", s.work.unit
	logScale(&p.X, 0.8, float64(most)*3) // the legend stands beside the curves
	var ticks plot.ConstantTicks
	for n := range counts {
		ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
	}
	p.X.Tick.Marker = ticks
	logScale(&p.Y, low, high)
	for i, name := range order {
		line, points, err := plotter.NewLinePoints(lines[name])
		if err != nil {
			continue // of a value that no axis shows
		}
		line.Color, points.Color = plotutil.Color(i), plotutil.Color(i)
		line.Dashes = plotutil.Dashes(i / 7)
		points.Shape, points.Radius = plotutil.Shape(i), 2.5
		p.Add(line, points)
		if bars, err := plotter.NewYErrorBars(spread{lines[name], ranges[name]}); err == nil {
			bars.Color, bars.CapWidth = plotutil.Color(i), 4
			p.Add(bars)
		}
		p.Legend.Add(name, line, points)
	}
	return p
}

// A spread is points with their ranges.
type spread struct {
	plotter.XYs
	plotter.YErrors
}

// latencyPlot shows which part of the samples is below a time.
func (s section) latencyPlot(records []record) *plot.Plot {
	kind := ": distribution"
	if s.work.fixed == 0 {
		kind += workersLabel(records[0].Workers)
	}
	p := s.newPlot(kind)
	p.X.Label.Text, p.Y.Label.Text = s.work.unit+", logarithmic",
		"part of the samples that is not above"
	low, high := math.Inf(1), 0.0
	for i, r := range records {
		var points plotter.XYs
		for k := range steps + 1 {
			q := float64(k) / steps
			v := quantileSorted(r.samples, q)
			if v <= 0 {
				continue
			}
			low, high = min(low, v), max(high, v)
			points = append(points, plotter.XY{X: v, Y: q})
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			continue // of a value that no axis shows
		}
		line.Color, line.Dashes = plotutil.Color(i), plotutil.Dashes(i/7)
		p.Add(line)
		p.Legend.Add(r.Runtime, line)
	}
	logScale(&p.X, low, high*4)
	p.Y.Min, p.Y.Max = 0, 1
	p.Legend.Top = false
	return p
}

// steps is how finely a distribution is drawn.
const steps = 200

// logScale makes an axis logarithmic between bounds above 0.
func logScale(a *plot.Axis, low, high float64) {
	if !(low > 0) || !(high > low) {
		low, high = 0.5, 2
	}
	a.Min, a.Max = low, high
	a.Scale = plot.LogScale{}
	a.Tick.Marker = plot.LogTicks{Prec: -1}
	a.Tick.Label.Font.Size = 8
	a.Label.TextStyle.Font.Size = 9
}

func workersLabel(n int) string {
	if n == 1 {
		return ", 1 worker"
	}
	return ", " + strconv.Itoa(n) + " workers"
}
