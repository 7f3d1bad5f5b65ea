package stuck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// What is ready runs nothing by itself.
type noScheduler struct{}

func (noScheduler) Ready(graphevent.Node)     {}
func (noScheduler) Completed(graphevent.Node) {}
func (noScheduler) Finished(int)              {}

// A body that only events of its own system hold open waits for them, and runs no more. One that
// something else keeps as well may still run.
func TestSurveyHolds(t *testing.T) {
	for _, foreign := range []bool{false, true} {
		s := graphevent.NewStore(graphevent.Options{Scheduler: noScheduler{}})
		var c graphevent.Cache
		n := s.Acquire(&c)
		body := s.Start(n, 0)
		require.True(t, s.Claim(n, &c))
		held := s.NewEvent()
		s.HoldOpen(n, 0, held)
		if foreign {
			s.HoldOpen(n, 1, graphevent.NewStore(graphevent.Options{}).NewEvent())
		}
		require.False(t, s.EndBody(n, nil, &c, noScheduler{}))

		survey := stuck.NewSurvey(s)
		i := survey.Node(body)
		survey.Holds(i)
		require.Equal(t, []int32{survey.Node(held)}, survey.Nodes[i].Out)
		require.Equal(t, foreign, survey.Nodes[i].Alive)
		require.Equal(t, foreign, survey.Nodes[i].Runs)
	}
}

// A wait on the goroutine of a body is the body's; another is of a goroutine without a task.
func TestSurveyGoroutine(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	body, awaited := s.NewEvent(), s.NewEvent()
	var w waits.Wait
	w.GID.Store(7)
	w.Show(s, []graphevent.Event{awaited}, nil)

	survey := stuck.NewSurvey(s)
	i := survey.Node(body)
	survey.Nodes[i].Alive, survey.Nodes[i].Runs = true, true
	survey.Body(7, body)
	survey.Goroutine("", &w)
	require.Equal(t, []int32{survey.Node(awaited)}, survey.Nodes[i].Out)
	require.Equal(t, uint64(7), survey.Nodes[i].GID)
	require.False(t, survey.Nodes[i].Alive)
	require.False(t, survey.Nodes[i].Runs)
	require.Len(t, survey.Nodes, 2)

	survey = stuck.NewSurvey(s)
	survey.Goroutine("", &w)
	require.Equal(t, "goroutine 7", survey.Nodes[0].Name)
	require.Equal(t, []int32{survey.Node(awaited)}, survey.Nodes[0].Out)
}

// A report has so many tasks and no more, and says how many there are besides.
func TestSurveyOfMany(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	for more := range 3 {
		survey := stuck.NewSurvey(s)
		for range stuck.MaxTasks + more {
			i := survey.Node(s.NewEvent())
			survey.Nodes[i].Name, survey.Nodes[i].Why = "a", "nobody ends it"
		}
		r := survey.Report()
		require.Equal(t, stuck.MaxTasks, len(r.Tasks)) // a failure shows no more than that
		require.Equal(t, stuck.MaxTasks, r.Stuck)
		require.Equal(t, more, r.More)
	}
}
