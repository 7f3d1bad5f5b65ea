package profile_test

import (
	"testing"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/made"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// repeated is a run of a program on two workers, so many times one after the other.
func repeated(events int) *trace.Snapshot {
	w := made.Work
	p := made.Program{Tasks: []made.Task{
		task("root", w(10), made.Launch(1), made.Launch(2), w(20), made.Wait(1),
			made.Loop(10, 20, 30, 10), made.WaitAll(), w(5)),
		task("a", w(50)), task("b", w(70), made.Block(5), w(5)), after(task("c", w(30)), 0),
	}}
	one := made.Run(&p, 2)
	all := &trace.Snapshot{Tasks: map[trace.ID]trace.Task{}}
	for _, l := range one.Lanes {
		all.Lanes = append(all.Lanes, trace.Lane{Name: l.Name, Kind: l.Kind})
	}
	for n, shift := 0, trace.ID(0); n < events; shift += trace.ID(len(p.Tasks)) {
		for i, l := range one.Lanes {
			for _, e := range l.Events {
				e.At += all.To
				if e.Task != 0 {
					e.Task += shift
				}
				if e.Other != 0 {
					e.Other += shift
				}
				all.Lanes[i].Events = append(all.Lanes[i].Events, e)
				n++
			}
		}
		for id, t := range one.Tasks {
			known := t
			known.After = nil
			for _, a := range t.After {
				known.After = append(known.After, a+shift)
			}
			if t.Parent != 0 {
				known.Parent += shift
			}
			all.Tasks[id+shift] = known
		}
		all.To += one.To + 1
	}
	return all
}

func BenchmarkOf1M(b *testing.B) {
	s := repeated(1_000_000)
	b.ReportAllocs()
	for b.Loop() {
		profile.Of(s, profile.Options{})
	}
}

func BenchmarkPredict1M(b *testing.B) {
	r := profile.Of(repeated(1_000_000), profile.Options{})
	for b.Loop() {
		r.Predict(8)
	}
}
