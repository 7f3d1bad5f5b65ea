package score

import "math"

// A Note is one of a line. Times are in quarter notes from the beginning of the piece.
type Note struct {
	Pitch      int // 60 is the middle C, and a semitone is 1
	Start, End float64
}

// Hz returns the frequency of a pitch, from the A of 440 Hz.
func Hz(pitch float64) float64 { return 440 * math.Exp2((pitch-69)/12) }

// A Line is notes one after the other.
type Line []Note

// After returns the line, later by so many quarter notes.
func (l Line) After(quarters float64) Line {
	later := make(Line, len(l))
	for i, n := range l {
		later[i] = Note{n.Pitch, n.Start + quarters, n.End + quarters}
	}
	return later
}

// End returns when the last note ends.
func (l Line) End() float64 { return l[len(l)-1].End }
