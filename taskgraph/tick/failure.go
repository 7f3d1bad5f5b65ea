package tick

import (
	"errors"
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
)

// ErrRunaway is the failure of a frame at whose end functions add functions without end.
var ErrRunaway = errors.New("tick: functions that are added keep adding functions")

// maxRounds is how often EndFrame runs what was added meanwhile.
const maxRounds = 100

// failure returns the failure of what has to end by group g and has ended, in the order of groups:
// the first that is no consequence of another. All of them count as seen then.
func (s *Set) failure(g int) error {
	var first, skipped error
	n := 0
	for _, ends := range s.ends[:g+1] {
		for _, t := range ends {
			err := t.held.Event().Err()
			switch {
			case err == nil:
				continue
			case errors.Is(err, graphevent.ErrSkipped):
				if skipped == nil {
					skipped = fmt.Errorf("tick: %q: %w", t.name, err)
				}
			case first == nil:
				first = fmt.Errorf("tick: %q: %w", t.name, err)
			}
			n++
		}
	}
	if first == nil {
		first = skipped
	}
	if n > 1 {
		return fmt.Errorf("%w (and %d more failed or were skipped)", first, n-1)
	}
	return first
}

// runaway puts what was added off to the next frame if there have been too many rounds.
func (s *Set) runaway(round int) bool {
	if round < maxRounds {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.added) == 0 {
		return true
	}
	if s.err == nil {
		s.err = fmt.Errorf("%w, in %d rounds; %q and what comes after it begin with the next frame",
			ErrRunaway, round, s.added[0].name)
	}
	return true
}
