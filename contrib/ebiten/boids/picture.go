package boids

// The colours: what is behind, what a bird adds to red and green, and what a spark is.
const (
	behind    = 16
	perBird   = 80
	sparkBlue = 255
)

// background is what is behind, in the rows of a cell row.
var background = func() (rows [4 * Width * pixelsPerCell]byte) {
	for i := range rows {
		rows[i] = behind
		if i%4 == 3 {
			rows[i] = 255
		}
	}
	return rows
}()

// paint paints the pixel rows of cell row r: the background, and the birds of that row. It comes
// after swap, and beside steer.
func (f *Flock) paint(r int) {
	rows := f.Picture[4*Width*r*pixelsPerCell : 4*Width*(r+1)*pixelsPerCell]
	copy(rows, background[:])
	for i := f.begins[r*columns]; i < f.begins[(r+1)*columns]; i++ {
		at := pixel(f.birds.at[i].x, f.birds.at[i].y)
		f.Picture[at] = more(f.Picture[at])
		f.Picture[at+1] = more(f.Picture[at+1])
	}
}

// ignite paints the sparks. It comes after fall and paint.
func (f *Flock) ignite() {
	for i := range f.sparks {
		if s := &f.sparks[i]; s.y >= 0 {
			f.Picture[pixel(s.x, s.y)+2] = sparkBlue
		}
	}
}

func pixel(x, y float32) int { return 4 * (int(y)/2*Width + int(x)/2) }

func more(v byte) byte { return byte(min(int(v)+perBird, 255)) }
