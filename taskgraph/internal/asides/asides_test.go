package asides_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph/internal/asides"
)

func TestMain(m *testing.M) { watch.Main(m) }

// newFuncs returns a pool whose asides count in running as long as they last, and how many of them
// have started.
func newFuncs(running *sync.WaitGroup) (p *asides.Pool[func()], started *atomics.Int32) {
	started = new(atomics.Int32)
	return &asides.Pool[func()]{
		Start: func(a *asides.Aside[func()]) {
			started.Add(1)
			running.Go(a.Main)
		},
		Do:     func(f *func()) { (*f)() },
		Parker: func() *park.Parker { return park.New(park.Go) },
	}, started
}

// do has f done by an aside, and reports whether f has returned.
func do(p *asides.Pool[func()], f func()) (returned bool) {
	a := p.Get()
	a.Work = f
	if returned = a.Run(); returned {
		p.Put(a)
	}
	return returned
}

// An aside is used again, but not when its work has ended it; and none is left at the end.
func TestAsides(t *testing.T) {
	var running sync.WaitGroup
	p, started := newFuncs(&running)
	do := func(f func()) (returned bool) { return do(p, f) }
	done := 0
	require.True(t, do(func() { done++ }))
	require.True(t, do(func() { done++ }))
	require.EqualValues(t, 1, started.Load())
	require.False(t, do(func() { done++; runtime.Goexit() }))
	require.True(t, do(func() { require.True(t, do(func() { done++ })) }), "one within another")
	require.Equal(t, 4, done)
	require.EqualValues(t, 3, started.Load())
	p.End()
	require.True(t, do(func() { done++ }), "also after the end")
	running.Wait()
}

// Many that have works done at the same time never share an aside: there are no more of them than
// users, and each work is done before its user goes on.
func TestAsidesOfMany(t *testing.T) {
	const users, each = 4, 3000
	var running, all sync.WaitGroup
	p, started := newFuncs(&running)
	var done [users]int // plain: -race looks at the order that Run makes
	for i := range users {
		all.Go(func() {
			for k := range each {
				if !do(p, func() { done[i]++ }) || done[i] != k+1 {
					panic("a work is not done")
				}
			}
		})
	}
	all.Wait()
	require.LessOrEqual(t, int(started.Load()), users)
	p.End()
	running.Wait()
}
