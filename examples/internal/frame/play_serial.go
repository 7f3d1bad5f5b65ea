package frame

import "fmt"

// A serialPlayer plays one step after the other: what the others are compared with.
type serialPlayer struct {
	plan *plan
	rec  *recorder
}

func newSerial(p *plan, rec *recorder) *serialPlayer { return &serialPlayer{p, rec} }

// frame implements player.
func (pl *serialPlayer) frame(frame int) error {
	err := pl.part(frame, false)
	if pl.plan.next != nil {
		start := pl.rec.now()
		if next := pl.plan.next(frame); err == nil {
			err = next
		}
		pl.rec.span(0, len(pl.plan.steps)+betweenFrames, frame, 0, start)
	}
	if err == nil {
		err = pl.part(frame, true)
	}
	return err
}

// part plays the steps of a frame that are later ones, or the others.
func (pl *serialPlayer) part(frame int, later bool) error {
	for i := range pl.plan.steps {
		s := &pl.plan.steps[i]
		if s.place.later() != later {
			continue
		}
		if err := pl.step(i, s, frame); err != nil {
			return err
		}
	}
	return nil
}

func (pl *serialPlayer) step(i int, s *step, frame int) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("step %q: panic: %v", s.name, v)
		}
	}()
	if s.missing != nil {
		if a := s.missing(frame); a != nil {
			<-a.done
		}
	}
	start := pl.rec.now()
	n := s.size()
	s.do(frame, 0, n)
	if s.finish != nil {
		s.finish(frame)
	}
	pl.rec.span(0, i, frame, 0, start)
	pl.rec.count(0, i, n)
	return nil
}

func (pl *serialPlayer) finish() error { return nil }
func (pl *serialPlayer) close() error  { return nil }
