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
	s.LookAhead(0, s.Sites())
	if s.Variant == Lagged {
		s.UpdateChains(0, s.Part.ChainCount())
	}
	s.World.Simulate()
	s.PostPhysics(0, s.World.Slots())
	if s.Variant != Lagged {
		s.UpdateChains(0, s.Part.ChainCount())
	}
	s.UpdateUnrelated(0, len(s.Part.Unrelated))
	s.Sound(s.Frame, 0, s.Voices())
	s.Mix()
	if c != nil {
		c.Serial(s)
	}
	s.Settle()
	err := s.Deliver(Files.ReadFile)
	s.End(func() *Marks { return s.MarkSerial() })
	return err
}

// Deliver brings to life what was loaded, if a load is due at the end of this frame. load returns
// the text of a prefab's file. It is sequential, and comes between the frame and its End.
func (s *Scene) Deliver(load func(name string) ([]byte, error)) error {
	i, ok := s.LoadDue()
	if !ok {
		return nil
	}
	text, err := load(Prefabs[i])
	if err == nil {
		err = s.Adopt(text)
	}
	if err != nil && !errors.Is(err, ErrNoRoom) {
		return fmt.Errorf("%s: %w", Prefabs[i], err)
	}
	return nil
}

// End is what happens between frames, after Deliver: roots are given up, the dead are swept,
// classes are stated anew. mark returns what can be reached, and is called if a sweep is due. It is
// sequential.
func (s *Scene) End(mark func() *Marks) {
	s.leaveSites()
	s.Script()
	if s.CollectDue() {
		s.Sweep(mark())
		s.clearSites()
	}
	if s.dirty {
		s.Classify()
	}
}
