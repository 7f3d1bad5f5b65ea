//go:build modelcheck

package graphevent_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// TestModelToldOnce: a failure that nobody has seen is told once while another event fails.
func TestModelToldOnce(t *testing.T) {
	tally := modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		s := graphevent.NewStore(graphevent.Options{})
		a := s.NewEvent()
		a.Fail(errors.New("a"))
		m.Thread(func() { s.NewEvent().Fail(errors.New("b")) })
		m.Thread(func() {
			told := 0
			s.Failures(func(e graphevent.Event, _ error) bool {
				if e == a {
					told++
				}
				return true
			})
			m.Assert(told == 1, "the failure is told %d times", told)
		})
	})
	require.NotZero(t, tally.Executions)
}
