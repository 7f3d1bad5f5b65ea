package frame

import (
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
)

// A kind of work is what the report tells apart: the classes of objects and, of the frame as a
// whole, the picture and the sound.
type work uint8

const (
	workSimulation work = iota // inputs and simulated
	workUnrelated
	workDependents
	workRendering // what is seen, and its picture
	workOther     // sound, and what the game thread does
	works
)

var workNames = [works]string{"simulation", "unrelated objects", "dependents", "rendering",
	"sound and the rest"}

var workNotes = [works]string{
	"its inputs, rigid bodies, islands of bodies that touch",
	"animation, skinning, cloth, particles",
	"objects attached to bodies: dolls, riders, flags",
	"culling, shadows, rasterising, shading", "",
}

// kind returns what a step is counted as.
func (s *step) kind() work {
	switch s.class {
	case classInput, classSimulated:
		return workSimulation
	case classDependent:
		return workDependents
	case classUnrelated:
		return workUnrelated
	}
	if s.place == onAudio || s.place == onGame || s.missing != nil {
		return workOther
	}
	return workRendering
}

// shares returns what each kind of work takes, a frame in the mean, and all together.
func (p *plan) shares(c cost) (each [works]time.Duration, all time.Duration) {
	for i := range p.steps {
		each[p.steps[i].kind()] += c.work[i]
	}
	each[workOther] += c.next
	for _, d := range each {
		all += d
	}
	return each, all
}

// percent returns a share of the whole.
func percent(a, b time.Duration) float64 { return 100 * figures.Ratio(a, b) }
