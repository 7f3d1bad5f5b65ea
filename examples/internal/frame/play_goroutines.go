package frame

import (
	"errors"
	"fmt"
	"sync"
)

// A goroutinePlayer plays the frame as one would without a task graph: a goroutine a step, which
// waits until those before it have called Done, and starts a goroutine for each part of its
// objects. The later steps of a frame run beside the next frame here too.
type goroutinePlayer struct {
	plan  *plan
	parts int // of a range
	last  int // the frame whose later steps were not played, or -1
}

func newGoroutines(p *plan, parts int) *goroutinePlayer {
	return &goroutinePlayer{plan: p, parts: parts, last: -1}
}

// frame implements player.
func (pl *goroutinePlayer) frame(frame int) error {
	behind := pl.last
	pl.last = frame
	err := pl.play(frame, behind)
	if pl.plan.next != nil {
		if next := pl.plan.next(frame); err == nil {
			err = next
		}
	}
	return err
}

func (pl *goroutinePlayer) finish() error {
	behind := pl.last
	pl.last = -1
	return pl.play(-1, behind)
}

func (pl *goroutinePlayer) close() error { return nil }

// play plays the steps of one frame and the later ones of another; -1 stands for none.
func (pl *goroutinePlayer) play(frame, behind int) error {
	steps := pl.plan.steps
	done := make([]sync.WaitGroup, len(steps))
	errs := make([]error, len(steps))
	for i := range steps {
		done[i].Add(1)
	}
	for i := range steps {
		go func() {
			defer done[i].Done()
			s := &steps[i]
			of := frame
			if s.place.later() {
				of = behind
			}
			for _, b := range s.before {
				done[b].Wait()
				if errs[b] != nil {
					errs[i] = errSkipped
				}
			}
			if of >= 0 && errs[i] == nil && (s.first != nil || s.asks != nil && s.asks(of)) {
				done[s.last].Wait()
				if errs[s.last] != nil {
					errs[i] = errSkipped
				}
			}
			if of >= 0 && errs[i] == nil {
				errs[i] = pl.step(s, of)
			}
		}()
	}
	var first error
	for i := range steps {
		done[i].Wait()
		if err := errs[i]; first == nil && err != nil && !errors.Is(err, errSkipped) {
			first = err
		}
	}
	return first
}

var errSkipped = errors.New("skipped")

// step plays one step, its objects cut into equal parts.
func (pl *goroutinePlayer) step(s *step, frame int) error {
	if s.missing != nil {
		if a := s.missing(frame); a != nil {
			<-a.done
		}
	}
	n := s.size()
	parts := min(pl.parts, n)
	if s.objects == nil {
		parts = 1
	}
	errs := make([]error, parts)
	var all sync.WaitGroup
	for k := range parts {
		all.Add(1)
		part := func() {
			defer all.Done()
			defer func() {
				if v := recover(); v != nil {
					errs[k] = fmt.Errorf("step %q: panic: %v", s.name, v)
				}
			}()
			s.do(frame, k*n/parts, (k+1)*n/parts)
		}
		if k < parts-1 {
			go part()
		} else {
			part()
		}
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if s.finish != nil {
		s.finish(frame)
	}
	return nil
}
