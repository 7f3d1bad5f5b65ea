package dsp

// An Echo repeats a sound, from one side and the other by turns, ever softer and duller.
type Echo struct {
	lines    [2]line
	ago      float32
	feedback float32
	mix      float32
	dull     [2]float32
}

// damping is how much of the last sample each echo keeps in place of the new one.
const damping = 0.35

// NewEcho returns an Echo of so many seconds, a Block at least. Each repetition has feedback of the
// one before it, less than 1, and the first one mix of the sound.
func NewEcho(seconds float64, feedback, mix float32) *Echo {
	e := &Echo{ago: float32(seconds * Rate), feedback: feedback, mix: mix}
	for c := range e.lines {
		e.lines[c] = newLine(int(e.ago) + 2)
	}
	return e
}

// Process adds the echoes to a block.
func (e *Echo) Process(s *Stereo) {
	left, right := &e.lines[0], &e.lines[1]
	l, r := &s[0], &s[1]
	dl, dr := e.dull[0], e.dull[1]
	for i := range l {
		a, b := left.read(e.ago), right.read(e.ago)
		dl += (1 - damping) * (a - dl)
		dr += (1 - damping) * (b - dr)
		left.write(flush(l[i] + e.feedback*dr)) // what came from the right
		right.write(flush(r[i]*0.5 + e.feedback*dl))
		l[i] += e.mix * a
		r[i] += e.mix * b
	}
	e.dull = [2]float32{flush(dl), flush(dr)}
}
