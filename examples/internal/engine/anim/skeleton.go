package anim

import (
	"fmt"
	"math"

	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A Skeleton is a tree of bones. Parents stand before their children.
type Skeleton struct {
	Parent []int16    // -1 at a root
	T      []vec.Vec3 // at rest, relative to the parent
	R      []vec.Quat
	S      []vec.Vec3 // nil: nothing is scaled
	Bind   []vec.Mat4 // model space to the bone's, at the pose that the mesh was made in
}

// Len returns the number of bones.
func (s *Skeleton) Len() int { return len(s.Parent) }

// Check returns an error that says what is wrong with the skeleton, if anything is.
func (s *Skeleton) Check() error {
	n := s.Len()
	switch {
	case n == 0:
		return fmt.Errorf("skeleton without bones")
	case n > math.MaxInt16:
		return fmt.Errorf("skeleton of %d bones: at most %d", n, math.MaxInt16)
	case len(s.T) != n || len(s.R) != n || s.S != nil && len(s.S) != n || len(s.Bind) != n:
		return fmt.Errorf("skeleton of %d bones with %d offsets, %d turns, %d scales and %d bind "+
			"matrices",
			n, len(s.T), len(s.R), len(s.S), len(s.Bind))
	}
	for i, p := range s.Parent {
		if p < -1 || int(p) >= i {
			return fmt.Errorf("bone %d has parent %d: a parent stands before its children", i, p)
		}
	}
	return nil
}
