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
	parts = 4

	// enough is how many neighbours a bird minds at most. Starlings mind six or seven: Ballerini
	// and others, "Interaction ruling animal collective behavior", PNAS 2008.
	enough = 8

	// tooClose is from which distance on, squared, birds no longer keep away from each other.
	tooClose = cell * cell / 4
)

// A vec is a place or a velocity, in units, or units a step.
type vec struct{ x, y float32 }

// Birds are places and velocities, apart: whoever looks for neighbours reads places only.
type birds struct{ at, v []vec }

func newBirds(n int) birds { return birds{make([]vec, n), make([]vec, n)} }

// A spark falls, and is born again where it was when it has reached the ground.
type spark struct{ x, y, vx, vy float32 }

// A Flock is a state of birds and sparks, and a picture of it. Make one with [New]. One goroutine
// at a time may use it, but for the phases of a step.
type Flock struct {
	birds  birds // sorted by cells, after the phases bin to scatter
	next   birds // in the making
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
		birds:   newBirds(birds),
		next:    newBirds(birds),
		cellOf:  make([]uint16, birds),
		sparks:  make([]spark, sparks),
		Picture: make([]byte, 4*Width*Height),
	}
	random := uint64(1)
	draw := func() float32 {
		random = random*6364136223846793005 + 1442695040888963407
		return float32(random>>40) / (1 << 24)
	}
	for i := range birds {
		f.birds.at[i] = vec{draw() * WorldWidth, draw() * WorldHeight}
		f.birds.v[i] = vec{draw()*2 - 1, draw()*2 - 1}
		f.birds.at[i].wrap()
	}
	for i := range f.sparks {
		f.sparks[i].born(i, uint64(i))
	}
	return f
}

// wrap puts a bird that has left the world in again at the other side.
func (b *vec) wrap() {
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

func (b *vec) cell() uint16 { return uint16(int(b.y)/cell*columns + int(b.x)/cell) }

// Phases. What a phase reads, the phases that it comes after have written.

// bin counts part p's birds by cells.
func (f *Flock) bin(p int) {
	counts := &f.counts[p]
	clear(counts[:])
	lo, hi := f.part(p)
	for i := lo; i < hi; i++ {
		c := f.birds.at[i].cell()
		f.cellOf[i] = c
		counts[c]++
	}
}

func (f *Flock) part(p int) (lo, hi int) {
	n := len(f.birds.at)
	return p * n / parts, (p + 1) * n / parts
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
		to := counts[c]
		f.next.at[to], f.next.v[to] = f.birds.at[i], f.birds.v[i]
		counts[c]++
	}
}

// swap makes the birds in the order of cells the current ones. It comes after all of scatter.
func (f *Flock) swap() { f.birds, f.next = f.next, f.birds }

// A run is a range of birds that are in cells next to each other, and how far they have to be
// shifted to be near.
type run struct {
	lo, hi int32
	shift  vec
}

// A near is a neighbour: where it is from a bird's point of view, and which one.
type near struct {
	dx, dy, d2 float32
	j          int32
}

// There is room for one more than enough, up to a power of two.
type neighbours [2 * enough]near

// steer makes the next state of the birds of cell row r. It comes after swap.
func (f *Flock) steer(r int) {
	var up, down [9]run
	var near neighbours
	for c := r * columns; c < (r+1)*columns; c++ {
		lo, hi := f.begins[c], f.begins[c+1]
		if lo == hi {
			continue
		}
		// Those in its own row of cells first, then those in the row that is nearer.
		ups := f.around(up[:0], c%columns, r, [3]int{0, -1, 1})
		downs := f.around(down[:0], c%columns, r, [3]int{0, 1, -1})
		middle := cell*float32(r) + cell/2
		for i := lo; i < hi; i++ {
			around := ups
			if f.birds.at[i].y > middle {
				around = downs
			}
			f.next.at[i], f.next.v[i] = f.steered(i, around, &near)
		}
	}
}

// around appends the runs of the nine cells around a cell, with its rows in an order: birds are
// sorted by rows, so that three cells of a row are one run unless the row ends between them.
func (f *Flock) around(runs []run, column, row int, order [3]int) []run {
	for _, dr := range order {
		r, shift := wrapped(row+dr, rows, WorldHeight)
		if column > 0 && column < columns-1 {
			c := r*columns + column
			runs = append(runs, run{f.begins[c-1], f.begins[c+2], vec{0, shift}})
			continue
		}
		for dc := -1; dc <= 1; dc++ {
			c, shiftX := wrapped(column+dc, columns, WorldWidth)
			at := r*columns + c
			runs = append(runs, run{f.begins[at], f.begins[at+1], vec{shiftX, shift}})
		}
	}
	return runs
}

// steered is bird i after a step: it keeps away from those that are close, flies as its neighbours
// do, and towards their middle.
func (f *Flock) steered(i int32, around []run, near *neighbours) (at, v vec) {
	at, v = f.birds.at[i], f.birds.v[i]
	n := f.look(near, at, around)
	if n > 0 {
		var away, sum, sumV vec
		for k := range near[:n] {
			o := &near[k]
			// Keeping away begins at nothing, and grows as they come closer.
			w := positive(1/(o.d2+0.1) - 1/(tooClose+0.1))
			away.x -= o.dx * w
			away.y -= o.dy * w
			sum.x += o.dx
			sum.y += o.dy
			sumV.x += f.birds.v[o.j].x
			sumV.y += f.birds.v[o.j].y
		}
		part := 1 / float32(n)
		v.x += away.x*0.2 + (sumV.x*part-v.x)*0.08 + sum.x*part*0.004
		v.y += away.y*0.2 + (sumV.y*part-v.y)*0.08 + sum.y*part*0.004
	}
	// Neither too slow nor too fast.
	speed := float32(math.Sqrt(float64(v.x*v.x + v.y*v.y)))
	if limit := min(max(speed, 0.5), 2); limit != speed && speed > 0 {
		v.x *= limit / speed
		v.y *= limit / speed
	}
	at.x += v.x
	at.y += v.y
	at.wrap()
	return at, v
}

// look finds the neighbours of a bird: up to enough of those that are not farther than a cell, nor
// at the very same place, as the bird itself is. A third of those that it looks at are; a branch
// for each would be foreseen too seldom, so it writes down each, and then counts it or does not.
func (f *Flock) look(near *neighbours, me vec, around []run) uint {
	n := uint(0)
	for k := range around {
		run := &around[k]
		x, y := run.shift.x-me.x, run.shift.y-me.y
		for j, at := range f.birds.at[run.lo:run.hi] {
			o := &near[n%uint(len(near))]
			o.dx, o.dy = at.x+x, at.y+y
			o.d2 = o.dx*o.dx + o.dy*o.dy
			o.j = run.lo + int32(j)
			n += among(o.d2)
			if n == enough {
				return n
			}
		}
	}
	return n
}

// among is 1 if 0 < d2 <= cell*cell, else 0. Bits of floats that are not negative are ordered as
// the floats are.
func among(d2 float32) uint {
	const farthest = 0x42800000 // the bits of cell*cell
	return uint((uint64(math.Float32bits(d2)-1) - farthest) >> 63)
}

// positive is v, or 0 if that is negative: a branch would be foreseen too seldom, and max looks for
// what is no number.
func positive(v float32) float32 {
	bits := math.Float32bits(v)
	return math.Float32frombits(bits &^ uint32(int32(bits)>>31))
}

// wrapped returns a row or column of the torus, and how far the birds there have to be shifted.
func wrapped(at, n int, size float32) (int, float32) {
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
	for i, at := range f.birds.at {
		add(at.x)
		add(at.y)
		add(f.birds.v[i].x)
		add(f.birds.v[i].y)
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
