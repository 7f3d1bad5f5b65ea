package boids

import (
	"fmt"
	"math"
)

// Check says whether pixels, in the form of [Flock.Picture], show what the last step was to show:
// each bird where it was before that step and each spark where it is, and nothing else. It does not
// look at Picture.
func (f *Flock) Check(pixels []byte) error {
	if len(pixels) != 4*Width*Height {
		return fmt.Errorf("%d bytes are no picture of %d x %d", len(pixels), Width, Height)
	}
	var birds [Height][Width]int
	var sparks [Height][Width]bool
	for _, b := range f.next.at { // where they were: end has exchanged the two
		birds[int(b.y/2)][int(b.x/2)]++
	}
	for _, s := range f.sparks {
		if s.y >= 0 {
			sparks[int(s.y/2)][int(s.x/2)] = true
		}
	}
	for y := range Height {
		for x := range Width {
			yellow, blue := min(behind+perBird*birds[y][x], 255), behind
			if sparks[y][x] {
				blue = sparkBlue
			}
			got := pixels[4*(y*Width+x):][:4]
			if want := [4]byte{byte(yellow), byte(yellow), byte(blue), 255}; [4]byte(got) != want {
				return fmt.Errorf(
					"pixel %d, %d is %v, not %v: %d birds are there",
					x,
					y,
					got,
					want,
					birds[y][x],
				)
			}
		}
	}
	return nil
}

// Order says how much birds fly as their neighbours do: about 0 if in all directions, up to 1. It
// is the cosine between the directions of two birds of a cell, on average over birds that are not
// alone.
func (f *Flock) Order() float64 {
	var x, y, n [cells]float64
	for i, at := range f.birds.at {
		v := f.birds.v[i]
		c, speed := at.cell(), math.Hypot(float64(v.x), float64(v.y))
		x[c] += float64(v.x) / speed
		y[c] += float64(v.y) / speed
		n[c]++
	}
	sum, birds := 0.0, 0.0
	for c := range cells {
		if n[c] > 1 {
			sum += (x[c]*x[c] + y[c]*y[c] - n[c]) / (n[c] - 1)
			birds += n[c]
		}
	}
	return sum / birds
}
