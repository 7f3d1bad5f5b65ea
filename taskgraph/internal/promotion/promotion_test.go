package promotion_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/promotion"
)

// A nobody is the scheduler of nodes that are launched without prerequisites.
type nobody struct{}

func (nobody) Ready(graphevent.Node)     {}
func (nobody) Completed(graphevent.Node) {}
func (nobody) Finished(int)              {}

// A rank is that of one life of a node, whatever the others do.
func TestRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := graphevent.NewStore(graphevent.Options{Scheduler: nobody{}})
		var (
			rank  promotion.Rank
			cache graphevent.Cache
			past  []graphevent.Event
		)
		n := s.Acquire(&cache)
		e, level, begun := s.Hold(n, 0), kernel.Normal, false
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				if e.State() != graphevent.StateHeld {
					t.Skip()
				}
				level = kernel.Level(rapid.IntRange(0, kernel.Levels-1).Draw(t, "level"))
				rank.Set(e, level)
			},
			"launch": func(*rapid.T) { s.Launch(e, 0, &cache, nobody{}) },
			"run": func(t *rapid.T) {
				if e.State() != graphevent.StateReady {
					t.Skip()
				}
				require.True(t, s.Claim(n, &cache))
				begun = true
			},
			"next": func(t *rapid.T) {
				if !begun {
					t.Skip()
				}
				require.True(t, s.EndBody(n, nil, &cache, nobody{}))
				past = append(past, e)
				require.Equal(t, n, s.Acquire(&cache))
				e, level, begun = s.Hold(n, 0), kernel.Normal, false
			},
			"raise": func(t *rapid.T) {
				l := kernel.Level(rapid.IntRange(0, kernel.Levels-1).Draw(t, "level"))
				raised, ready := rank.Raise(e, l)
				require.Equal(t, l < level, raised)
				require.Equal(t, raised && e.State() == graphevent.StateReady, ready)
				level = min(level, l)
			},
			"raise late": func(t *rapid.T) {
				if len(past) == 0 {
					t.Skip()
				}
				_, ready := rank.Raise(rapid.SampledFrom(past).Draw(t, "event"), kernel.High)
				require.False(t, ready)
			},
			"": func(t *rapid.T) { require.Equal(t, level, rank.Level(e)) },
		})
	})
}

// A raise for an event of an earlier life of the node changes nothing.
func TestRankOfAnEarlierLife(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{Scheduler: nobody{}})
	var (
		rank  promotion.Rank
		cache graphevent.Cache
	)
	n := s.Acquire(&cache)
	old := s.Hold(n, 0)
	s.Launch(old, 0, &cache, nobody{})
	require.True(t, s.Claim(n, &cache))
	require.True(t, s.EndBody(n, nil, &cache, nobody{}))
	require.Equal(t, n, s.Acquire(&cache))
	e := s.Hold(n, 0)
	rank.Set(e, kernel.BackgroundLow)
	raised, ready := rank.Raise(old, kernel.High)
	require.False(t, raised)
	require.False(t, ready)
	require.Equal(t, kernel.BackgroundLow, rank.Level(e))
}

// A number that was taken is used again.
func TestSecondsAreRecycled(t *testing.T) {
	var seconds promotion.Seconds
	first, _ := seconds.Add(graphevent.Event{})
	for range 3 {
		seconds.Take(first)
		again, ok := seconds.Add(graphevent.Event{})
		require.True(t, ok)
		require.Equal(t, first, again)
	}
}

// Each number stands for one event until it is taken.
func TestSeconds(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	rapid.Check(t, func(t *rapid.T) {
		var seconds promotion.Seconds
		queued := map[uint32]graphevent.Event{}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				e := s.NewEvent()
				number, ok := seconds.Add(e)
				require.True(t, ok)
				require.NotContains(t, queued, number)
				queued[number] = e
			},
			"take": func(t *rapid.T) {
				for number, e := range queued {
					require.Equal(t, e, seconds.Of(number))
					require.Equal(t, e, seconds.Take(number))
					delete(queued, number)
					return
				}
			},
		})
	})
}
