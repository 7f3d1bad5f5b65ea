package graphevent_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/graphevent"
)

// BenchmarkManualEvent makes an event and triggers it.
func BenchmarkManualEvent(b *testing.B) {
	s := graphevent.NewStore(graphevent.Options{})
	b.ReportAllocs()
	for b.Loop() {
		s.NewEvent().Trigger()
	}
}

// BenchmarkNode takes a node through the life of a task without prerequisites.
func BenchmarkNode(b *testing.B) {
	s := graphevent.NewStore(graphevent.Options{Scheduler: idle{}})
	var c graphevent.Cache
	b.ReportAllocs()
	for b.Loop() {
		n := s.Acquire(&c)
		s.Start(n, 0)
		s.Claim(n, &c)
		s.EndBody(n, nil, &c, idle{})
	}
}

// BenchmarkChain is a link of a chain of tasks: built, released by the one before, run.
func BenchmarkChain(b *testing.B) {
	s := graphevent.NewStore(graphevent.Options{Scheduler: idle{}})
	var c graphevent.Cache
	last := s.Acquire(&c)
	e := s.Start(last, 0)
	b.ReportAllocs()
	for b.Loop() {
		n := s.Acquire(&c)
		next := s.Hold(n, 0)
		s.After(n, 0, e)
		s.Launch(next, 1, &c, idle{})
		s.Claim(last, &c)
		s.EndBody(last, nil, &c, idle{})
		last, e = n, next
	}
}

// BenchmarkEdge registers a task on many events and completes these; a unit is one edge.
func BenchmarkEdge(b *testing.B) {
	for _, edges := range []int{1, 4, 16} {
		b.Run(fmt.Sprint("edges=", edges), func(b *testing.B) {
			s := graphevent.NewStore(graphevent.Options{Scheduler: idle{}})
			var c graphevent.Cache
			ps := make([]graphevent.Event, edges)
			b.ReportAllocs()
			for left := b.N; left > 0; left -= edges {
				n := s.Acquire(&c)
				e := s.Hold(n, 0)
				for i := range ps {
					p := s.Acquire(&c)
					ps[i] = s.Start(p, 0)
					s.After(n, uint32(i), ps[i])
				}
				s.Launch(e, uint32(edges), &c, idle{})
				for _, p := range ps {
					s.Claim(p.Node(), &c)
					s.EndBody(p.Node(), nil, &c, idle{})
				}
				s.Claim(n, &c)
				s.EndBody(n, nil, &c, idle{})
			}
		})
	}
}

type discard struct{}

func (discard) Release(uint32, error) {}

// BenchmarkAddSubsequent registers tokens on an event that is triggered every 64.
func BenchmarkAddSubsequent(b *testing.B) {
	s := graphevent.NewStore(graphevent.Options{Releaser: discard{}})
	b.ReportAllocs()
	for left := b.N; left > 0; left -= 64 {
		e := s.NewEvent()
		for i := range uint32(64) {
			e.AddSubsequent(i)
		}
		e.Trigger()
	}
}

// BenchmarkDontCompleteUntil holds a manual event open for another.
func BenchmarkDontCompleteUntil(b *testing.B) {
	s := graphevent.NewStore(graphevent.Options{})
	b.ReportAllocs()
	for b.Loop() {
		e, o := s.NewEvent(), s.NewEvent()
		e.DontCompleteUntil(o)
		e.Trigger()
		o.Trigger()
	}
}
