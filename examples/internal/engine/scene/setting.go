package scene

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A Setting says what a scene is about, and so where the work of its frames is.
type Setting uint8

// The settings.
const (
	// Mixed is a courtyard, a pit and a square beside each other: no class of objects costs next to
	// nothing, and the picture not much more than they.
	Mixed Setting = iota
	// Quarry is pits with heaps of rubble: most of the work is the simulation.
	Quarry
	// Crowd is squares full of people in cloaks: most of the work is theirs.
	Crowd
	// Courtyards is a few of everything: most of the work is the picture.
	Courtyards
	settings
)

// String returns the setting's name.
func (s Setting) String() string { return stagings[s].name }

// Size returns the size that suits the setting.
func (s Setting) Size() int { return stagings[s].size }

// ParseSetting returns the setting of a name, and whether there is one.
func ParseSetting(name string) (Setting, bool) {
	for s := range settings {
		if s.String() == name {
			return s, true
		}
	}
	return 0, false
}

// A staging is how a setting is built: a number of plots that are alike but for what their seed
// says.
type staging struct {
	name       string
	size       int     // that suits
	dx, dz     float32 // from one plot to the next
	low, high  vec.Vec3
	cols, rows int // of a patch, if the detail is fine; 0: what that says
	gap        float32
	near       bool // people are seen from near
	room       func(d *detail) room
	build      func(p *plot)
	views      [][2]vec.Vec3 // from where a plot is seen, and what of it
}

// A room is how many of each kind a plot has, at most.
type room struct{ bodies, figures, engines, emitters, patches, voices, stones int }

func (r room) plus(q room) room {
	return room{
		r.bodies + q.bodies, r.figures + q.figures, r.engines + q.engines, r.emitters + q.emitters,
		r.patches + q.patches, r.voices + q.voices, r.stones + q.stones,
	}
}

// objects returns how many objects that makes, with the groups that hold them.
func (r room) objects() int {
	return (r.bodies+r.figures+r.engines+r.emitters+r.patches+r.voices+r.stones)*4/3 + 16
}

var stagings = [settings]staging{
	Mixed:      mixed,
	Quarry:     quarry,
	Crowd:      crowd,
	Courtyards: courtyards,
}
