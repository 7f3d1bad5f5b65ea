package modelcheck_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

// independent are threads of n steps each on words of their own.
func independent(threads, n int) func(e *engine) {
	return func(e *engine) {
		words := make([]modelcheck.Uint32, threads)
		for i := range words {
			e.Thread(func() {
				for range n {
					words[i].Add(1)
				}
			})
		}
	}
}

func binomial(n, k int) int {
	b := 1
	for i := range k {
		b = b * (n - i) / (i + 1)
	}
	return b
}

// count explores a model in full; it returns the executions, all of which must be distinct.
func count(t *testing.T, x modelcheck.Explorer, body func(e *engine)) int {
	t.Helper()
	e := modelcheck.NewEngine(modelcheck.Config{})
	defer e.Close()
	var seen modelcheck.Set
	res := e.Explore(x, 0, &seen, func() { body(e) })
	require.Nil(t, res.Failure)
	require.True(t, res.Complete)
	require.Equal(t, res.Executions, res.Distinct)
	require.Equal(t, res.Executions, seen.Len())
	return res.Executions
}

// Two threads of n steps make C(2n, n) executions.
func TestDepthFirstCountsAllOrders(t *testing.T) {
	for n := range 7 {
		require.Equal(t, binomial(2*n, n),
			count(t, modelcheck.NewDepthFirst(modelcheck.Unbounded), independent(2, n)), "%d steps",
			n)
	}
	// 9!/3!^3
	require.Equal(t, 1680, count(t, modelcheck.NewDepthFirst(modelcheck.Unbounded),
		independent(3, 3)))
}

// An order of two threads of n steps that has k blocks of the first and j of the second has
// k+j-1 switches, of which those at the end of a thread are no preemptions. Blocks are cut in
// C(n-1, k-1) ways.
func TestBoundedCounts(t *testing.T) {
	expect := func(n, bound int) (all int) {
		for k := 1; k <= n; k++ {
			for j := k - 1; j <= k+1; j++ {
				if j < 1 || j > n || k+j-2 > bound { // one switch of k+j-1 is at an end
					continue
				}
				ways := binomial(n-1, k-1) * binomial(n-1, j-1)
				if j == k {
					ways *= 2 // either may begin
				}
				all += ways
			}
		}
		return all
	}
	for n := 1; n <= 5; n++ {
		last := 0
		for bound := range 2 * n {
			got := count(t, modelcheck.NewDepthFirst(bound), independent(2, n))
			require.Equal(t, expect(n, bound), got, "%d steps, bound %d", n, bound)
			require.GreaterOrEqual(t, got, last)
			last = got
		}
		require.Equal(t, binomial(2*n, n), last)
	}
}

// DPOR explores one execution of each Mazurkiewicz trace.
func TestDPORCountsTraces(t *testing.T) {
	reads := func(readers int) func(e *engine) { // "readers": a writer and n readers make 2^n
		return func(e *engine) {
			var w modelcheck.Uint32
			e.Thread(func() { w.Store(1) })
			for range readers {
				e.Thread(func() { w.Load() })
			}
		}
	}
	lastZero := func(n int) func(e *engine) { // of the DPOR papers
		return func(e *engine) {
			words := make([]modelcheck.Uint32, n+1)
			e.Thread(func() {
				for i := n; words[i].Load() != 0; i-- {
				}
			})
			for i := 1; i <= n; i++ {
				e.Thread(func() { words[i].Store(words[i-1].Load() + 1) })
			}
		}
	}
	writes := func(n int) func(e *engine) {
		return func(e *engine) {
			var w modelcheck.Uint32
			for range n {
				e.Thread(func() { w.Add(1) })
			}
		}
	}
	require.Equal(t, 1, count(t, modelcheck.NewDPOR(), independent(4, 5)))
	require.Equal(t, 1, count(t, modelcheck.NewDPOR(), reads(0)))
	for n := range 7 {
		require.Equal(t, 1<<n, count(t, modelcheck.NewDPOR(), reads(n)), "%d readers", n)
	}
	for n, orders := range []int{1, 1, 2, 6, 24, 120} {
		require.Equal(t, orders, count(t, modelcheck.NewDPOR(), writes(n)), "%d writers", n)
	}
	for n := 1; n <= 4; n++ {
		require.Equal(t, traces(lastZero(n)), count(t, modelcheck.NewDPOR(), lastZero(n)),
			"lastzero %d", n)
	}
	// A compare-and-swap that fails reads: two of them do not depend on each other.
	require.Equal(t, 1, count(t, modelcheck.NewDPOR(), func(e *engine) {
		var w modelcheck.Uint32
		for range 3 {
			e.Thread(func() { w.CompareAndSwap(1, 2) })
		}
	}))
}

// traces counts the classes of executions by what each thread reads, which tells the traces of
// lastzero apart.
func traces(body func(e *engine)) int {
	seen := map[string]bool{}
	e := modelcheck.NewEngine(modelcheck.Config{})
	defer e.Close()
	e.Explore(&modelcheck.Recording{Explorer: modelcheck.NewDepthFirst(modelcheck.Unbounded),
		Seen: seen}, 40_000, nil, func() { body(e) })
	return len(seen)
}

// A walk or PCT finds only what depth-first finds, and with enough executions all of a small
// program.
func TestRandomExplorersFindOrders(t *testing.T) {
	for _, x := range []modelcheck.Explorer{modelcheck.NewRandomWalk(7, 2000),
		modelcheck.NewPCT(7, 6, 4000)} {
		e := modelcheck.NewEngine(modelcheck.Config{})
		var seen modelcheck.Set
		res := e.Explore(x, 0, &seen, func() { independent(2, 2)(e) })
		e.Close()
		require.Nil(t, res.Failure)
		require.Equal(t, 6, seen.Len(), x.Name())
		require.Equal(t, 6, res.Distinct)
	}
}

func TestLimit(t *testing.T) {
	for name, x := range explorers {
		res := explore(modelcheck.Config{}, x(), 5, independent(3, 3))
		require.Nil(t, res.Failure)
		if name == "DPOR" {
			require.Equal(t, 1, res.Executions)
			continue
		}
		require.Equal(t, 5, res.Executions, name)
		require.False(t, res.Complete, name)
	}
}

// Zeros, or no bytes at all, mean no preemption; each byte is a decision.
func TestBytes(t *testing.T) {
	run := func(data ...byte) string {
		e := modelcheck.NewEngine(modelcheck.Config{})
		defer e.Close()
		schedule := ""
		res := e.Explore(modelcheck.NewBytes(data), 0, nil, func() {
			independent(3, 2)(e)
			e.Run()
			e.Fail(modelcheck.KindAssertion, "to see the schedule")
		})
		schedule = res.Failure.Schedule
		return schedule
	}
	require.Equal(t, "A2B2C2", run())
	require.Equal(t, "A2B2C2", run(0, 0, 0, 0))
	require.Equal(t, "B1A2B1C2", run(1, 1))
	require.Equal(t, "C2B2A2", run(2, 0, 3, 6))
}

func TestNames(t *testing.T) {
	for want, x := range map[string]modelcheck.Explorer{
		"dfs":    modelcheck.NewDepthFirst(modelcheck.Unbounded),
		"bound3": modelcheck.NewDepthFirst(3), "dpor": modelcheck.NewDPOR(),
		"random": modelcheck.NewRandomWalk(1, 1), "pct4": modelcheck.NewPCT(1, 4, 1),
		"bytes": modelcheck.NewBytes(nil),
	} {
		require.Equal(t, want, x.Name())
	}
}

func TestScheduleErrorsSayWhatIsWrong(t *testing.T) {
	for text, says := range map[string]string{
		"A2b9": `'b' at 2 is neither a thread (A to H) nor one of # and !`,
		"A2I1": `'I' at 2 is neither`,
		"A":    `no number after 'A' at 0`,
		"A1#":  `no number after '#' at 2`,
		"#256": `choice 256 is not below 256`,
		"A-1":  `no number after 'A' at 0`,
	} {
		_, err := modelcheck.NewReplay(text)
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, fmt.Sprintf("%q", text))
	}
}

func TestReplayOfAScheduleThatDoesNotFit(t *testing.T) {
	for _, text := range []string{"A9", "C1", "A1#1", "B2A2#0", "#1"} {
		x, err := modelcheck.NewReplay(text)
		require.NoError(t, err)
		res := explore(modelcheck.Config{}, x, 0, func(e *engine) {
			var w modelcheck.Uint32
			e.Thread(func() { w.Add(1); w.Add(modelcheckChoice()); w.Add(1) })
			e.Thread(func() { w.Add(1); w.Add(1) })
		})
		if text == "A1#1" {
			require.Nil(t, res.Failure)
			continue
		}
		require.NotNil(t, res.Failure, text)
		require.Equal(t, modelcheck.KindDeterminism, res.Failure.Kind)
		require.Contains(t, res.Failure.Text, "the schedule does not fit the program")
	}
}

func modelcheckChoice() uint32 { return uint32(modelcheck.Choose(2)) }

func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"", "A2B9", "A1#3!", "H8A1#255", "A1000000", "A2b", "AA"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 64 {
			return
		}
		s, err := modelcheck.ParseSchedule(text)
		if err != nil {
			require.ErrorContains(t, err, "modelcheck: schedule ")
			return
		}
		if len(s) > 1_000_000 {
			return // a few letters name millions of steps, and an input has to end soon
		}
		again, err := modelcheck.ParseSchedule(modelcheck.FormatSchedule(s))
		require.NoError(t, err)
		require.True(t, slices.Equal(s, again), "%q", text)
	})
}

func FuzzFormattedSchedule(f *testing.F) {
	f.Add([]byte{0, 0, 1, 1, 200, 9, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		s := make([]uint16, 0, len(data))
		for _, b := range data {
			switch {
			case b == 255:
				s = append(s, modelcheck.FreezeMark)
			case b >= 128:
				s = append(s, modelcheck.ChoiceMark|uint16(b))
			default:
				s = append(s, uint16(b%modelcheck.MaxThreads))
			}
		}
		again, err := modelcheck.ParseSchedule(modelcheck.FormatSchedule(s))
		require.NoError(t, err)
		require.Equal(t, append([]uint16{}, s...), append([]uint16{}, again...))
	})
}
