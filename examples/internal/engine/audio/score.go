package audio

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A Score is what all voices do in one block.
type Score []Note

// A Note is what one voice does in one block. Gains and pitch glide from those of the block
// before.
type Note struct {
	Sound Sound
	Left  float32 // gains; 0 in both: silent
	Right float32
	Pitch float32 // Hz
	Hit   float32 // how hard a Knock is struck at the start of the block; 0: not
	New   bool    // the voice is another's from now on and begins anew
}

// A Sound is what a voice sounds like.
type Sound uint8

// The sounds.
const (
	Hum    Sound = iota // a tone with overtones
	Rumble              // noise around a pitch, as of what rolls, blows or flows
	Knock               // wood that rings when struck
)

// Place sets the gains for a source heard from a place with a direction to the right: nearer
// is louder, to the side is more in one ear.
func (n *Note) Place(source, ear, right vec.Vec3, gain float32) {
	d := source.Sub(ear)
	l := d.Len()
	gain /= 1 + float32(0.15*l*l)
	pan := float32(0)
	if l > 0 {
		pan = d.Dot(right) / l
	}
	n.Left, n.Right = gain*vec.Sqrt((1-pan)/2), gain*vec.Sqrt((1+pan)/2)
}
