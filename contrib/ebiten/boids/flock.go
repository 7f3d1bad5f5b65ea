package boids

import "math"

// The world is a torus of so many units, and the picture has a pixel for each square of two.
// Birds see each other up to the width of a cell.
const (
	WorldWidth, WorldHeight = 1280, 720
	Width, Height           = WorldWidth / 2, WorldHeight / 2

	cell          = 8
	columns, rows = WorldWidth / cell, WorldHeight / cell
	cells         = columns * rows
	pixelsPerCell = cell / 2

	// parts is how many parts the birds are divided into to be sorted: a number that does not
	// depend on how many processors there are, nor does the result.
	parts = 8

	// enough is how many neighbours a bird minds at most.
	enough = 16
)

// A bird has a place and a velocity, in units and units a step.
type bird struct{ x, y, vx, vy float32 }

// A spark falls, and is born again where it was when it has reached the ground.
type spark struct{ x, y, vx, vy float32 }

// A Flock is a state of birds and sparks, and a picture of it. Make one with [New]. One goroutine
// at a time may use it, but for the phases of a step.
type Flock struct {
	birds  []bird // sorted by cells, after the phases bin to scatter
	next   []bird // in the making
	cellOf []uint16
	counts [parts][cells]int32 // how many birds of a part are in a cell, then where the next goes
	begins [cells + 1]int32    // where a cell's birds begin
	sparks []spark
	step   uint64

	// Picture is Width x Height pixels of red, green, blue and alpha: where the birds were when the
	// last step began, and the sparks when it had ended.
	Picture []byte
}

// New returns so many birds and sparks at places that are the same each time.
func New(birds, sparks int) *Flock {
	f := &Flock{
		birds:   make([]bird, birds),
		next:    make([]bird, birds),
		cellOf:  make([]uint16, birds),
		sparks:  make([]spark, sparks),
		Picture: make([]byte, 4*Width*Height),
	}
	random := uint64(1)
	draw := func() float32 {
		random = random*6364136223846793005 + 1442695040888963407
		return float32(random>>40) / (1 << 24)
	}
	for i := range f.birds {
		f.birds[i] = bird{draw() * WorldWidth, draw() * WorldHeight, draw()*2 - 1, draw()*2 - 1}
		f.birds[i].wrap()
	}
	for i := range f.sparks {
		f.sparks[i].born(i, uint64(i))
	}
	return f
}

// wrap puts a bird that has left the world in again at the other side.
func (b *bird) wrap() {
	if b.x < 0 {
		b.x += WorldWidth
	}
	if b.x >= WorldWidth { // also if rounding has come to just that
		b.x -= WorldWidth
	}
	if b.y < 0 {
		b.y += WorldHeight
	}
	if b.y >= WorldHeight {
		b.y -= WorldHeight
	}
}

func (b *bird) cell() uint16 { return uint16(int(b.y)/cell*columns + int(b.x)/cell) }

// Phases. What a phase reads, the phases that it comes after have written.

// bin counts part p's birds by cells.
func (f *Flock) bin(p int) {
	counts := &f.counts[p]
	clear(counts[:])
	lo, hi := f.part(p)
	for i := lo; i < hi; i++ {
		c := f.birds[i].cell()
		f.cellOf[i] = c
		counts[c]++
	}
}

func (f *Flock) part(p int) (lo, hi int) {
	return p * len(f.birds) / parts, (p + 1) * len(f.birds) / parts
}

// add turns the counts into places. It comes after all of bin.
func (f *Flock) add() {
	at := int32(0)
	for c := range cells {
		f.begins[c] = at
		for p := range parts {
			n := f.counts[p][c]
			f.counts[p][c] = at
			at += n
		}
	}
	f.begins[cells] = at
}

// scatter puts part p's birds into the order of cells. It comes after add.
func (f *Flock) scatter(p int) {
	counts := &f.counts[p]
	lo, hi := f.part(p)
	for i := lo; i < hi; i++ {
		c := f.cellOf[i]
		f.next[counts[c]] = f.birds[i]
		counts[c]++
	}
}

// swap makes the birds in the order of cells the current ones. It comes after all of scatter.
func (f *Flock) swap() { f.birds, f.next = f.next, f.birds }

// steer makes the next state of the birds of cell row r. It comes after swap.
func (f *Flock) steer(r int) {
	for c := r * columns; c < (r+1)*columns; c++ {
		for i := f.begins[c]; i < f.begins[c+1]; i++ {
			f.next[i] = f.steered(i, c%columns, r)
		}
	}
}

// steered is bird i after a step: it keeps away from those that are close, flies as its neighbours
// do, and towards their middle.
func (f *Flock) steered(i int32, column, row int) bird {
	me := f.birds[i]
	var awayX, awayY, sumVX, sumVY, sumX, sumY, n float32
neighbours:
	for dr := -1; dr <= 1; dr++ {
		r, shiftY := around(row+dr, rows, WorldHeight)
		for dc := -1; dc <= 1; dc++ {
			c, shiftX := around(column+dc, columns, WorldWidth)
			for j := f.begins[r*columns+c]; j < f.begins[r*columns+c+1]; j++ {
				other := &f.birds[j]
				dx, dy := other.x+shiftX-me.x, other.y+shiftY-me.y
				d2 := dx*dx + dy*dy
				if d2 > cell*cell || j == i {
					continue
				}
				if d2 < cell*cell/4 {
					awayX -= dx / (d2 + 0.1)
					awayY -= dy / (d2 + 0.1)
				}
				sumVX += other.vx
				sumVY += other.vy
				sumX += dx
				sumY += dy
				if n++; n == enough {
					break neighbours
				}
			}
		}
	}
	if n > 0 {
		me.vx += awayX*0.15 + (sumVX/n-me.vx)*0.08 + sumX/n*0.004
		me.vy += awayY*0.15 + (sumVY/n-me.vy)*0.08 + sumY/n*0.004
	}
	// Neither too slow nor too fast.
	speed := float32(math.Sqrt(float64(me.vx*me.vx + me.vy*me.vy)))
	if limit := min(max(speed, 0.5), 2); limit != speed && speed > 0 {
		me.vx *= limit / speed
		me.vy *= limit / speed
	}
	me.x += me.vx
	me.y += me.vy
	me.wrap()
	return me
}

// around returns a row or column of the torus, and how far the birds there have to be shifted.
func around(at, n int, size float32) (int, float32) {
	switch {
	case at < 0:
		return at + n, -size
	case at >= n:
		return at - n, size
	}
	return at, 0
}

// fall moves sparks lo to hi.
func (f *Flock) fall(lo, hi int) {
	for i := lo; i < hi; i++ {
		s := &f.sparks[i]
		s.vy += 0.04
		s.x += s.vx
		s.y += s.vy
		if s.y >= WorldHeight || s.x < 0 || s.x >= WorldWidth {
			s.born(i, f.step)
		}
	}
}

// born throws a spark up from one of four places, in a direction that its number and the step
// decide.
func (s *spark) born(i int, step uint64) {
	h := (uint64(i)<<20 ^ step) * 0x9e3779b97f4a7c15
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	s.x, s.y = WorldWidth/8+WorldWidth/4*float32(i%4), WorldHeight-1
	s.vx, s.vy = float32(h>>40)/(1<<24)*4-2, -3-float32(h&0xffff)/(1<<16)*4
}

// end makes the next state the current one. It comes after all other phases.
func (f *Flock) end() {
	f.birds, f.next = f.next, f.birds
	f.step++
}

// Digest is a number made of the whole state.
func (f *Flock) Digest() uint64 {
	sum := uint64(14695981039346656037)
	add := func(v float32) { sum = (sum ^ uint64(math.Float32bits(v))) * 1099511628211 }
	for _, b := range f.birds {
		add(b.x)
		add(b.y)
		add(b.vx)
		add(b.vy)
	}
	for _, s := range f.sparks {
		add(s.x)
		add(s.y)
		add(s.vx)
		add(s.vy)
	}
	for _, b := range f.Picture {
		sum = (sum ^ uint64(b)) * 1099511628211
	}
	return sum
}
