package dsp

// A line remembers what was written to it.
type line struct {
	ring []float32 // a power of two
	at   int       // what is written next
}

// newLine returns a line that remembers n samples at least.
func newLine(n int) line {
	size := 1
	for size < n {
		size *= 2
	}
	return line{ring: make([]float32, size)}
}

func (l *line) write(x float32) {
	l.ring[l.at&(len(l.ring)-1)] = x
	l.at++
}

// read returns what was written so many samples ago, the last one being 1; between two samples,
// what lies on the straight line between them.
func (l *line) read(ago float32) float32 {
	whole := int(ago)
	part := ago - float32(whole)
	mask := len(l.ring) - 1
	a, b := l.ring[(l.at-whole)&mask], l.ring[(l.at-whole-1)&mask]
	return a + (b-a)*part
}
