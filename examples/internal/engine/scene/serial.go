package scene

import (
	"errors"
	"fmt"
)

// Serial runs one whole frame of a scene, on the caller alone: the reference for every other
// way. If c is not nil, it also prepares what the frame's picture is drawn from.
func (s *Scene) Serial(c *Context) error {
	s.Begin()
	s.UpdateInputs(0, len(s.Part.Inputs))
	if s.Variant == Lagged {
		s.UpdateChains(0, s.Part.ChainCount())
	}
	s.Simulate()
	s.PostPhysics(0, s.World.Slots())
	if s.Variant != Lagged {
		s.UpdateChains(0, s.Part.ChainCount())
	}
	s.UpdateUnrelated(0, len(s.Part.Unrelated))
	s.Mix(s.Frame)
	if c != nil {
		c.Serial(s)
	}
	return s.End(func() *Marks { return s.MarkSerial() }, Files.ReadFile)
}

// End is what happens between frames: roots are given up, the dead are swept, what was loaded
// comes to life, classes are stated anew. mark returns what can be reached, and is called if a
// sweep is due; load returns the text of a prefab's file, and is called if one is due. It is
// sequential.
func (s *Scene) End(mark func() *Marks, load func(name string) ([]byte, error)) error {
	s.Script()
	if s.CollectDue() {
		s.Sweep(mark())
	}
	if i, ok := s.LoadDue(); ok {
		text, err := load(Prefabs[i])
		if err == nil {
			err = s.Adopt(text)
		}
		if err != nil && !errors.Is(err, ErrNoRoom) {
			return fmt.Errorf("%s: %w", Prefabs[i], err)
		}
	}
	if s.dirty {
		s.Classify()
	}
	return nil
}
