package main

import "math"

// floats is the number of floats of a vertex: where, from -1 to 1, and its colour.
const floats = 5

type (
	vertex [floats]float32
	rgb    [3]float32
)

const (
	width, height = 480, 480
	petals        = 12
)

var night = rgb{0.07, 0.09, 0.2}

// hue returns a bright colour; t runs once around the circle from 0 to 1.
func hue(t float64) rgb {
	part := func(shift float64) float32 {
		x := math.Abs(math.Mod(t+shift, 1)*6 - 3)
		return float32(min(max(x-1, 0), 1)*0.85 + 0.1)
	}
	return rgb{part(0), part(2. / 3), part(1. / 3)}
}

// A petal is an ellipse of one colour. They overlap, so their order shows.
type petal struct {
	x, y   float64 // its middle
	colour rgb
}

func petalOf(i int) petal {
	turn := float64(i) / petals
	a := 2 * math.Pi * turn
	return petal{0.62 * math.Cos(a), 0.62 * math.Sin(a), hue(turn)}
}

// shape is what the workers compute.
func (p petal) shape() []vertex {
	const corners = 90
	r := math.Hypot(p.x, p.y)
	ux, uy := p.x/r, p.y/r
	at := func(x, y float64) vertex {
		return vertex{float32(x), float32(y), p.colour[0], p.colour[1], p.colour[2]}
	}
	all := []vertex{at(p.x, p.y)}
	for i := range corners + 1 {
		s, c := math.Sincos(2 * math.Pi * float64(i) / corners)
		long, across := 0.3*c, 0.2*s
		all = append(all, at(p.x+long*ux-across*uy, p.y+long*uy+across*ux))
	}
	return all
}

// heart is a triangle whose corners are red, green and blue.
func heart() []vertex {
	var all []vertex
	for i := range 3 {
		s, c := math.Sincos(2*math.Pi*float64(i)/3 + math.Pi/2)
		v := vertex{float32(0.3 * c), float32(0.3 * s)}
		v[2+i] = 1
		all = append(all, v)
	}
	return all
}

// pixel returns where a point of the scene is in the picture.
func pixel(x, y float64) (px, py int) {
	return int((x + 1) / 2 * width), int((1 - y) / 2 * height)
}
