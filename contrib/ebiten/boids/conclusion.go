package boids

import (
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// A Played is what became of the frames of a way.
type Played struct {
	Name   string
	Step   float64 // the median, in milliseconds
	Missed int     // beats
}

// Conclusion says in words, a sentence a line, how Heddle's steps and beats compare with those of
// the other ways. It is empty unless Heddle and another way have played.
func Conclusion(ways []Played) (text string) {
	i := slices.IndexFunc(ways, func(p Played) bool { return p.Name == "heddle" })
	if i < 0 {
		return ""
	}
	for k, p := range ways {
		if k == i {
			continue
		}
		name := p.Name
		if name == "serial" {
			name = "one thread"
		}
		text += fmt.Sprintf("Heddle's median step %s. It missed %s, that way %d.\n",
			verdict.Beside(ways[i].Step, p.Step, name), verdict.Count(ways[i].Missed, "beat"),
			p.Missed)
	}
	return text
}
