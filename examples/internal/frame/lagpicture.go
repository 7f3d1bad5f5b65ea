package frame

import (
	"fmt"
	"image"
	"image/color"
	"slices"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/figures"
)

// Colours of the picture of the lag: one a variant, and others.
var (
	orderColors = [...]color.RGBA{scene.Serial: {90, 150, 230, 255},
		scene.Lagged: {235, 60, 50, 255}, scene.Split: {80, 200, 120, 255},
		scene.Barriers: {200, 150, 90, 255}}
	lagPaper = color.RGBA{24, 26, 30, 255}
	lagInk   = color.RGBA{225, 225, 215, 255}
	lagRule  = color.RGBA{90, 94, 100, 255}
)

// lagPicture shows what the orders of the simulation differ in. Above is the last picture of the
// split order, grey, and in red whatever the lagged order has elsewhere. Below are the lag error of
// both frame by frame, and the frame times of all orders.
func lagPicture(orders [scene.Variants]*contestant, frame int, q quality) *image.RGBA {
	const pad, line = 30, 24
	top := q.height
	m := image.NewRGBA(image.Rect(0, 0, q.width, top+260))
	fill(m, m.Bounds(), lagPaper)
	late(m, orders[scene.Split].world.still(frame, q), orders[scene.Lagged].world.still(frame, q))

	split, lagged := orders[scene.Split].world.lag, orders[scene.Lagged].world.lag
	most := float32(0.01)
	for _, e := range lagged.each {
		most = max(most, e)
	}
	write(m, pad, top+16, lagInk, fmt.Sprintf("lag error by frame, m; most %.3f", most))
	write(m, pad, top+16+line, orderColors[scene.Lagged], fmt.Sprintf("lagged %.4f", lagged.root()))
	write(m, pad+220, top+16+line, orderColors[scene.Split],
		fmt.Sprintf("split %.4f", split.root()))
	chart := image.Rect(pad, top+80, m.Rect.Max.X/2-pad, top+230)
	fill(m, image.Rect(chart.Min.X, chart.Max.Y, chart.Max.X, chart.Max.Y+1), lagRule)
	curve(m, chart, lagged.each, most, orderColors[scene.Lagged])
	curve(m, chart, split.each, most, orderColors[scene.Split])

	x := m.Rect.Max.X/2 + pad
	write(m, x, top+16, lagInk, "time of a frame, ms; bar p50, line p99")
	var times [scene.Variants]quantiles
	longest := 0.0
	for v, c := range orders {
		times[v] = quantilesOf(c.times)
		longest = max(longest, figures.MS(times[v].p99))
	}
	for v := range orders {
		y := top + 50 + 50*v
		write(m, x, y, orderColors[v],
			fmt.Sprintf("%-8v %6.2f %6.2f", scene.Variant(v), figures.MS(times[v].p50),
				figures.MS(times[v].p99)))
		room := float64(m.Rect.Max.X-pad-x) / max(longest, 1e-3)
		fill(m, image.Rect(x, y+22, x+int(figures.MS(times[v].p50)*room), y+40), orderColors[v])
		fill(m, image.Rect(x, y+30, x+int(figures.MS(times[v].p99)*room), y+32), orderColors[v])
	}
	return m
}

// late draws a picture grey, and in red where another one differs, a pixel around included.
func late(m *image.RGBA, a, b *image.RGBA) {
	for y := range a.Rect.Dy() {
		for x := range a.Rect.Dx() {
			most := 0
			for k := range 9 {
				most = max(most, difference(a, b, x+k%3-1, y+k/3-1))
			}
			p := a.RGBAAt(x, y)
			grey := uint8((3*int(p.R) + 6*int(p.G) + int(p.B)) / 10)
			c := color.RGBA{grey, grey, grey, 255}
			if most > 6 {
				c = color.RGBA{uint8(min(150+int(grey)/4+2*most, 255)), grey / 3, grey / 3, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
}

// difference returns how far the colours of two pictures are apart in a place.
func difference(a, b *image.RGBA, x, y int) (most int) {
	p, q := a.RGBAAt(x, y), b.RGBAAt(x, y)
	for _, d := range [3]int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
		most = max(most, d, -d)
	}
	return most
}

// curve draws values from 0 to most, evenly over the width: in each column the largest of those
// that fall into it.
func curve(m *image.RGBA, in image.Rectangle, values []float32, most float32, c color.RGBA) {
	if len(values) == 0 {
		return
	}
	from := -1
	for x := range in.Dx() {
		lo := x * len(values) / in.Dx()
		hi := max((x+1)*len(values)/in.Dx(), lo+1)
		y := in.Max.Y - 1 - int(slices.Max(values[lo:hi])/most*float32(in.Dy()-2))
		if from < 0 {
			from = y
		}
		fill(m, image.Rect(in.Min.X+x, min(from, y)-1, in.Min.X+x+1, max(from, y)+1), c)
		from = y
	}
}

func fill(m *image.RGBA, r image.Rectangle, c color.RGBA) {
	r = r.Intersect(m.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			m.SetRGBA(x, y, c)
		}
	}
}
