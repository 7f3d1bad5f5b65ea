package frame

import (
	"image"
	"image/color"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/internal/dev/race"
)

// The picture is red where the lagged order is elsewhere, and only there; its curves and bars are
// those of the figures.
func TestLagPicture(t *testing.T) {
	if race.Enabled || testing.Short() {
		t.Skip("one goroutine, and a large picture")
	}
	const frames = 30
	var orders [scene.Variants]*contestant
	for v := range orders {
		w := small(t, scene.Variant(v))
		w.lag.each = make([]float32, 0, frames)
		playWorld(t, w, func(p *plan) player { return newSerial(p, nil) }, frames)
		orders[v] = &contestant{world: w,
			times: []time.Duration{time.Duration(v+1) * time.Millisecond}}
		require.Len(t, w.lag.each, frames)
	}
	count := func(m *image.RGBA, in image.Rectangle, c color.RGBA) (n int) {
		for y := in.Min.Y; y < in.Max.Y; y++ {
			for x := in.Min.X; x < in.Max.X; x++ {
				if m.RGBAAt(x, y) == c {
					n++
				}
			}
		}
		return n
	}
	red := func(m *image.RGBA) (n int) {
		for y := range stillQuality.height {
			for x := range m.Rect.Dx() {
				if c := m.RGBAAt(x, y); c.R > c.G {
					n++
				}
			}
		}
		return n
	}
	q := stillQuality
	q.samples = 1
	m := lagPicture(orders, frames-1, q)
	n := red(m)
	require.Greater(t, n, 50)
	require.Less(t, n, m.Rect.Dx()*stillQuality.height/4)
	bars := image.Rect(m.Rect.Dx()/2, stillQuality.height+60, m.Rect.Dx(), m.Rect.Dy())
	for v := 1; v < 3; v++ {
		require.Greater(t, count(m, bars, orderColors[v]), count(m, bars, orderColors[v-1]),
			"the longer the time, the longer the bar")
	}
	curves := image.Rect(0, stillQuality.height+78, m.Rect.Dx()/2, m.Rect.Dy()).Inset(2)
	require.NotZero(t, count(m, curves, orderColors[scene.Lagged]))

	same := orders[scene.Split].world.still(frames-1, tiny)
	small := image.NewRGBA(same.Rect)
	late(small, same, same)
	for i := 0; i < len(small.Pix); i += 4 {
		require.Equal(t, small.Pix[i], small.Pix[i+1], "what is not late is not red")
	}
}

func TestLetters(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 40, 20))
	c := color.RGBA{1, 2, 3, 255}
	write(m, 0, 0, c, "t L")
	rows := ""
	for y := 1; y < 15; y += letterDot {
		for x := 1; x < 36; x += letterDot {
			if m.RGBAAt(x, y) == c {
				rows += "#"
			} else {
				rows += "."
			}
		}
		rows += "\n"
	}
	require.Equal(t, "###.....#...\n.#......#...\n.#......#...\n.#......#...\n.#......###.\n", rows)
}
