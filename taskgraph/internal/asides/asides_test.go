package asides_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/asides"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// An aside is used again, but not when its work has ended it; and none is left at the end.
func TestAsides(t *testing.T) {
	var running sync.WaitGroup
	started := 0
	p := &asides.Pool[func()]{
		Start: func(a *asides.Aside[func()]) {
			started++
			running.Go(a.Main)
		},
		Do:     func(f *func()) { (*f)() },
		Parker: func() *park.Parker { return park.New(park.Go) },
	}
	do := func(f func()) (returned bool) {
		a := p.Get()
		a.Work = f
		if returned = a.Run(); returned {
			p.Put(a)
		}
		return returned
	}
	done := 0
	require.True(t, do(func() { done++ }))
	require.True(t, do(func() { done++ }))
	require.Equal(t, 1, started)
	require.False(t, do(func() { done++; runtime.Goexit() }))
	require.True(t, do(func() { require.True(t, do(func() { done++ })) }), "one within another")
	require.Equal(t, 4, done)
	require.Equal(t, 3, started)
	p.End()
	require.True(t, do(func() { done++ }), "also after the end")
	running.Wait()
}
