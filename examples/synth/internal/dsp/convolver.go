package dsp

const (
	// ChunkBlocks is how many blocks a chunk has, by which a Convolver's Tail works.
	ChunkBlocks = 16
	// Chunk is the number of samples in a chunk.
	Chunk = ChunkBlocks * Block
	// Lead is how much of a response the Convolver does by blocks, in samples: two chunks. One goes
	// by until the Tail has a chunk of input, and one while it works on that.
	Lead = 2 * Chunk
)

// A Convolver plays a channel in a room, given by its response to a clap: each sample comes out as
// the whole response. It does the first Lead samples of the response by blocks, at once, and leaves
// the rest to a Tail, which does it by chunks and is late by two of them, as the rest of the
// response is.
//
// After Gardner, "Efficient Convolution without Input-Output Delay", Journal of the Audio
// Engineering Society, 1995; each of the two layers is an overlap-save convolution with equal
// parts, as in Wefers, "Partitioned convolution algorithms for real-time auralization", 2015.
type Convolver struct {
	first layer
	tail  Tail
	at    int // samples heard: a place in the tail's input and output
	wet   Buffer
}

// NewConvolver returns a Convolver for a response of more than Lead samples.
func NewConvolver(response []float32) *Convolver {
	return &Convolver{first: newLayer(Block, response[:Lead]), tail: newTail(response[Lead:])}
}

// Tail returns the rest of the response.
func (c *Convolver) Tail() *Tail { return &c.tail }

// Past adds up what earlier blocks contribute to the next one. It comes before Process, and needs
// nothing of the block.
func (c *Convolver) Past() {
	c.first.sum.Clear()
	c.first.add(&c.first.sum, 1, len(c.first.parts), c.first.at+1)
}

// Process takes a block and makes what is heard in the room. When the first block of a chunk is
// processed, the tail must have done its work on the chunk before the last one.
func (c *Convolver) Process(in *Buffer) {
	c.first.push(in[:])
	c.first.add(&c.first.sum, 0, 1, c.first.at)
	c.first.result(c.wet[:], &c.first.sum)

	copy(c.tail.input[c.at:], in[:])
	late := c.tail.output[c.at%len(c.tail.output):][:Block]
	for i, x := range late {
		c.wet[i] += x
	}
	c.at = (c.at + Block) % len(c.tail.input)
}

// Heard returns what was made last.
func (c *Convolver) Heard() *Buffer { return &c.wet }

// TailPieces is how many pieces of work Multiply has.
const TailPieces = 6

// A Tail is the work on the later part of a response. For each chunk, Forward comes first, then
// Multiply for each piece, in any order or at once, then Inverse. The chunk is heard by then, and
// the work is due a chunk later.
type Tail struct {
	layer  layer
	input  [4 * Chunk]float32 // two chunks at work, and one being written
	output [2 * Chunk]float32 // one being heard, and one being written
	sums   [TailPieces]Spectrum
}

func newTail(response []float32) Tail {
	t := Tail{layer: newLayer(Chunk, response)}
	for i := range t.sums {
		t.sums[i] = NewSpectrum(2 * Chunk)
	}
	return t
}

// Forward transforms a chunk, numbered from 0.
func (t *Tail) Forward(chunk int) {
	at := chunk % 4 * Chunk
	t.layer.push(t.input[at : at+Chunk])
}

// Multiply does a piece, numbered from 0 to TailPieces-1.
func (t *Tail) Multiply(piece int) {
	n := len(t.layer.parts)
	t.sums[piece].Clear()
	t.layer.add(&t.sums[piece], piece*n/TailPieces, (piece+1)*n/TailPieces, t.layer.at)
}

// Inverse makes the chunk's sound. It adds the pieces in their order, so that the result is the
// same bits whatever the order was.
func (t *Tail) Inverse(chunk int) {
	sum := &t.layer.sum
	sum.Clear()
	for i := range t.sums {
		sum.Add(&t.sums[i])
	}
	t.layer.result(t.output[chunk%2*Chunk:][:Chunk], sum)
}

// A layer convolves with equal parts of a response, each as long as the pieces of sound that it
// takes.
type layer struct {
	size   int
	fft    *FFT
	parts  []Spectrum // of the response
	past   []Spectrum // of as many pieces of sound, each with the one before it; a ring
	at     int        // the latest
	window []float32  // the last two pieces
	sum    Spectrum
	out    []float32
}

func newLayer(size int, response []float32) layer {
	l := layer{size: size, fft: NewFFT(2 * size), window: make([]float32, 2*size),
		out: make([]float32, 2*size), sum: NewSpectrum(2 * size)}
	part := make([]float32, 2*size)
	for at := 0; at < len(response); at += size {
		clear(part)
		copy(part[:size], response[at:])
		s := NewSpectrum(2 * size)
		l.fft.Forward(&s, part)
		l.parts, l.past = append(l.parts, s), append(l.past, NewSpectrum(2*size))
	}
	return l
}

// push takes the next piece of sound.
func (l *layer) push(x []float32) {
	copy(l.window, l.window[l.size:])
	copy(l.window[l.size:], x)
	l.at = (l.at + 1) % len(l.past)
	l.fft.Forward(&l.past[l.at], l.window)
}

// add adds what the parts [lo, hi) of the response make of the past. Part 0 belongs to the piece of
// sound at place newest.
func (l *layer) add(sum *Spectrum, lo, hi, newest int) {
	for p := lo; p < hi; p++ {
		sum.AddProduct(&l.parts[p], &l.past[(newest-p+len(l.past))%len(l.past)])
	}
}

// result makes sound of a sum. The first half of it is that of pieces that lie in a circle, and of
// no use.
func (l *layer) result(x []float32, sum *Spectrum) {
	l.fft.Inverse(l.out, sum)
	copy(x, l.out[l.size:])
}
