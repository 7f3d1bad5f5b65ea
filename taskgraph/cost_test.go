package taskgraph

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCostsRemember(t *testing.T) {
	var table costs
	at := table.at(0x401000)
	require.Zero(t, at.known(), "nothing yet")
	at.learn(0.5)
	require.Equal(t, 0.5, at.known())
	// An interruption moves it by a factor of 4 at most.
	at.learn(1e6)
	require.Equal(t, 2., at.known())
	for range 60 {
		at.learn(10_000)
	}
	require.InEpsilon(t, 10_000, at.known(), 0.2)
	for range 60 {
		at.learn(0)
	}
	require.Positive(t, at.known(), "0 means unknown")
	at.learn(1e30)
	// Other code on the same entry finds nothing, and takes it.
	other := costAt{at.entry, table.at(0x402000).tag}
	require.NotEqual(t, at.tag, other.tag)
	require.Zero(t, other.known())
	other.learn(7)
	require.Equal(t, 7., other.known())
	require.Zero(t, at.known())
	// The largest there can be.
	at = table.at(^uintptr(0))
	at.learn(1e30)
	require.Greater(t, at.known(), 1e9)
}

func TestCheapIsWhatIsKnownToTakeLittle(t *testing.T) {
	var table costs
	code := uintptr(0x401000)
	require.False(t, isCheap(table.of(code), 100), "unknown")
	at := table.at(code)
	at.learn(0.5)
	for n, cheap := range map[int]bool{0: false, -1: false, 1: true, 100: true, 2*cheapLoop - 1: true, 2 * cheapLoop: false, 1 << 30: false, math.MaxInt: false, math.MinInt: false} {
		require.Equal(t, cheap, isCheap(table.of(code), n), n)
	}
	require.False(t, isCheap(table.of(code+1), 100), "other code")
	costAt{at.entry, at.tag | 1<<costField}.learn(0.5)
	require.False(t, isCheap(table.of(code), 100), "other code on the same entry")
	at = table.at(^uintptr(0))
	for range 200 {
		at.learn(1e30)
	}
	require.False(t, isCheap(table.of(^uintptr(0)), math.MaxInt))
}

// Whatever the loops, one is measured now and then, and most are not.
func TestCreditIsUsedUp(t *testing.T) {
	for _, cost := range []uint64{1, costUnit / 2, 40 * costUnit} {
		loops, due, credit := 100_000, 0, int32(0)
		for range loops {
			if credit -= price(cost, 100); credit < 0 {
				credit = freshCredit()
				due++
			}
		}
		spent := float64(loops) * float64(price(cost, 100)) / costUnit
		require.InEpsilon(t, spent/measuring, due, 0.3)
	}
}

// Two purposes share a body: with a site each, what one costs is neither forgotten nor moved by the other, and the
// body's code, by which both would be taken for one, remembers nothing.
func TestSitesOfTwoPurposes(t *testing.T) {
	s := Start(Options{Workers: 2})
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	of := func(site *LoopSite) float64 { return s.costs.ofSite(site).known() }
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
	require.NoError(t, s.WaitUntilTasksComplete(context.Background(), s.Task(Run(func(c *Context) error {
		return c.RunLoop(loop)
	})).Launch()))
	require.Positive(t, of(&heavy))
	require.Equal(t, cost, of(&light))
	require.Zero(t, s.costs.at(codeOf(body)).known())
	require.Equal(t, 101*loop.N, x)

	// Without sites both are one.
	rounds, loop.Site = 1, nil
	require.NoError(t, s.RunLoop(loop))
	require.Positive(t, s.costs.at(codeOf(body)).known())
	require.Equal(t, s.costs.at(codeOf(body)), s.costs.ofSite(body))
}

// A cheap loop by its site is one call of the body, as one by its code is.
func TestSiteOfACheapLoop(t *testing.T) {
	s := Start(Options{Workers: 2})
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	var site LoopSite
	s.costs.ofSite(&site).learn(0.5)
	calls := 0
	loop := Loop{N: 100, Site: &site, Body: func(_ *Participant, lo, hi int) error { calls += hi - lo; return nil }}
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
