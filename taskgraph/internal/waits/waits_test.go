package waits_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A look sees what is shown, as far as it is incomplete and there is room, whatever was shown
// before.
func TestShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ours, others := graphevent.NewStore(graphevent.Options{}),
			graphevent.NewStore(graphevent.Options{})
		var all []graphevent.Event
		for range 80 {
			all = append(all, ours.NewEvent())
		}
		all = append(all, others.NewEvent())
		var w waits.Wait
		w.GID.Store(7)
		for range rapid.IntRange(1, 5).Draw(t, "waits") {
			var events, want []graphevent.Event
			alien := false
			for range rapid.SampledFrom([]int{0, 1, 4, 5, 64, 70}).Draw(t, "events") {
				e := rapid.SampledFrom(all).Draw(t, "event")
				events = append(events, e)
				switch {
				case e.IsComplete():
				case e.Store() != ours:
					alien = true
				default:
					want = append(want, e)
				}
			}
			var below []uint64
			var under []graphevent.Event
			for range rapid.IntRange(0, waits.MostBelow).Draw(t, "below") {
				if rapid.Bool().Draw(t, "no task") {
					below = append(below, 0)
					continue
				}
				e := rapid.SampledFrom(all[:80]).Draw(t, "body")
				below, under = append(below, waits.Ref(e)), append(under, e)
			}
			_, ok := w.Look(ours)
			require.False(t, ok, "nothing is shown")
			w.Show(ours, events, below)
			seen, ok := w.Look(ours)
			require.Equal(t, len(want) > 0 || alien, ok)
			if ok {
				visible := min(len(want), waits.MostEvents)
				require.Equal(t, waits.Seen{Events: want[:visible:visible],
					More: len(want) - visible, Alien: alien, Below: under, GID: 7}, seen)
			}
			w.Hide()
			if rapid.Bool().Draw(t, "one is over") {
				rapid.SampledFrom(all).Draw(t, "event").Trigger()
			}
		}
	})
}

// Waits with events are seen until they are over, and then leave the list.
func TestLists(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	rapid.Check(t, func(t *rapid.T) {
		var l waits.List
		open := map[*waits.Wait]graphevent.Event{}
		find := func() map[*waits.Wait]graphevent.Event {
			found := map[*waits.Wait]graphevent.Event{}
			for w := l.First(); w != nil; w = w.Next() {
				if events := l.AppendTo(w, s, nil); len(events) > 0 {
					found[w] = events[0]
				}
			}
			return found
		}
		pick := func(t *rapid.T) *waits.Wait {
			if len(open) == 0 {
				t.Skip()
			}
			var all []*waits.Wait
			for w := l.First(); w != nil; w = w.Next() {
				if _, ok := open[w]; ok {
					all = append(all, w)
				}
			}
			return rapid.SampledFrom(all).Draw(t, "wait")
		}
		t.Repeat(map[string]func(*rapid.T){
			"add": func(*rapid.T) {
				w := &waits.Wait{Events: []graphevent.Event{s.NewEvent()}}
				l.Add(w)
				open[w] = w.Events[0]
			},
			"end": func(t *rapid.T) {
				w := pick(t)
				l.End(w)
				delete(open, w)
			},
			"give up": func(t *rapid.T) {
				w := pick(t)
				require.True(t, w.GiveUp())
				require.False(t, w.GiveUp())
				delete(open, w)
			},
			"": func(t *rapid.T) { require.Equal(t, open, find()) },
		})
	})
}

// A thread's waits lie on each other, and a body's own is set and ended.
func TestOwnLists(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	e := s.NewEvent()
	var l waits.List
	var a, b waits.Wait
	l.Push(&a)
	l.Push(&b)
	require.Same(t, &b, l.First())
	require.Same(t, &a, b.Next())
	l.Pop(&b)
	require.Same(t, &a, l.First())
	l.Pop(&a)
	require.Nil(t, l.First())

	a.Show(s, []graphevent.Event{e}, nil)
	l.Set(&a)
	require.Equal(t, []graphevent.Event{e}, l.AppendTo(&a, s, nil))
	l.End(&a)
	require.Nil(t, l.First())
	_, ok := a.Look(s)
	require.False(t, ok, "an end hides it as well")
	a.Show(s, []graphevent.Event{e}, nil)
	require.Empty(t, l.AppendTo(&a, s, nil), "it is another body's now")
	l.Set(&a)
	l.Clear()
	require.Nil(t, l.First())
}

// A wait that is for certain events shows those that are incomplete.
func TestLookAtEvents(t *testing.T) {
	ours, others := graphevent.NewStore(graphevent.Options{}),
		graphevent.NewStore(graphevent.Options{})
	done, open, alien := ours.NewEvent(), ours.NewEvent(), others.NewEvent()
	w := waits.Wait{Events: []graphevent.Event{done, open, alien},
		Below: []graphevent.Event{open}}
	w.GID.Store(7)
	done.Trigger()
	seen, ok := w.Look(ours)
	require.True(t, ok)
	require.Equal(t, waits.Seen{Events: []graphevent.Event{open}, Alien: true, Below: w.Below,
		GID: 7}, seen)
	alien.Trigger()
	seen, ok = w.Look(ours)
	require.True(t, ok)
	require.Equal(t, waits.Seen{Events: []graphevent.Event{open}, Below: w.Below, GID: 7}, seen)
	require.True(t, w.GiveUp())
	_, ok = w.Look(ours)
	require.False(t, ok)
}
