package taskgraph

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two purposes share a body: with a site each, what one costs is neither forgotten nor moved by the
// other, and the body's code, by which both would be taken for one, remembers nothing.
func TestSitesOfTwoPurposes(t *testing.T) {
	s := Start(Options{Workers: 2})
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	of := func(site *LoopSite) float64 { return s.costOf(site).Known() }
	var light, heavy LoopSite
	x := 0
	rounds := 1
	body := func(_ *Participant, lo, hi int) error {
		for range rounds * (hi - lo) {
			x++
		}
		return nil
	}
	loop := Loop{N: 10_000, Serial: true, Body: body, Site: &light}
	require.NoError(t, s.RunLoop(loop))
	cost := of(&light)
	require.Positive(t, cost)
	require.Zero(t, of(&heavy))
	rounds, loop.Site = 100, &heavy
	require.NoError(t, s.WaitUntilTasksComplete(context.Background(),
		s.Task(Run(func(c *Context) error {
			return c.RunLoop(loop)
		})).Launch()))
	require.Positive(t, of(&heavy))
	require.Equal(t, cost, of(&light))
	require.Zero(t, s.costs.At(codeOf(body)).Known())
	require.Equal(t, 101*loop.N, x)

	// Without sites both are one.
	rounds, loop.Site = 1, nil
	require.NoError(t, s.RunLoop(loop))
	require.Positive(t, s.costs.At(codeOf(body)).Known())
	require.Equal(t, s.costs.At(codeOf(body)), s.costOf(body))
}

// A cheap loop by its site is one call of the body, as one by its code is.
func TestSiteOfACheapLoop(t *testing.T) {
	s := Start(Options{Workers: 2})
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	var site LoopSite
	s.costOf(&site).Learn(0.5)
	calls := 0
	loop := Loop{N: 100, Site: &site, Body: func(_ *Participant, lo, hi int) error {
		calls += hi - lo
		return nil
	}}
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = s.RunLoop(loop) }))
	require.Equal(t, 101*loop.N, calls)
}

func TestCodeIsSharedByClosures(t *testing.T) {
	var a, b int
	require.Equal(t, codeOf(counter(&a)), codeOf(counter(&b)))
	require.NotEqual(t, codeOf(counter(&a)), codeOf(func(lo, hi int) { b++ }))
	require.Equal(t, codeOf(counter(&a)), codeOfSite(counter(&b)))
	f := func(*Participant, int, int) error { return nil }
	require.Equal(t, codeOf(f), codeOfSite(f))
	require.Equal(t, reflect.ValueOf(f).Pointer(), codeOf(f))
	require.Zero(t, codeOfSite((func())(nil)))
}

//go:noinline
func counter(x *int) func(lo, hi int) { return func(lo, hi int) { *x += hi - lo } }
