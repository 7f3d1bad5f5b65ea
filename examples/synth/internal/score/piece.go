package score

// A Piece is parts that play together.
type Piece struct {
	Name  string
	Tempo float64 // quarter notes a minute
	Parts []Part
	Loop  float64 // where it goes on, in quarter notes, if it is to go on for ever
	End   float64 // where it goes back from, or ends but for what still sounds
}

// A Part is an instrument that plays one line or more at a time.
type Part struct {
	Name  string
	Sound Sound
	Pan   float64 // -1 is left, 1 right
	Lines []Line
}

// A Sound is a kind of instrument.
type Sound uint8

// The sounds.
const (
	Strings Sound = iota
	Plucked
	Bass
)

// Seconds returns how long so many quarter notes take.
func (p *Piece) Seconds(quarters float64) float64 { return quarters * 60 / p.Tempo }
