package parallel_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

func TestMain(m *testing.M) { watch.Main(m) }

var (
	bg      = context.Background()
	errBoom = errors.New("boom")
)

const hangLimit = 3 * time.Minute // far longer than any test takes

// start starts a system that is shut down without an error at the end of the test.
func start(t *testing.T, o taskgraph.Options) *taskgraph.System {
	t.Helper()
	w := time.AfterFunc(hangLimit, func() {
		buf := make([]byte, 1<<20)
		os.Stderr.Write(buf[:runtime.Stack(buf, true)])
		panic(t.Name() + " hangs")
	})
	s := taskgraph.Start(o)
	t.Cleanup(func() {
		require.NoError(t, s.Shutdown(bg))
		w.Stop()
	})
	return s
}

// systems starts systems with 1 to 8 workers.
func systems(t *testing.T) (all []*taskgraph.System) {
	for w := range 8 {
		all = append(all, start(t, taskgraph.Options{Workers: w + 1}))
	}
	return all
}

// somewhere draws where to run f, with what options, and runs it.
func somewhere(rt *rapid.T, all []*taskgraph.System, f func(on parallel.Launcher) error) error {
	s := rapid.SampledFrom(all).Draw(rt, "system")
	opts := taskgraph.Loop{
		Grain: rapid.SampledFrom([]int{0, 0, 0, 1, 3, 100}).Draw(rt, "grain"),
		// most inputs are too small to be shared otherwise
		Unbalanced: rapid.Bool().Draw(rt, "unbalanced"),
		Serial:     rapid.IntRange(0, 5).Draw(rt, "serial") == 0,
		Background: rapid.IntRange(0, 5).Draw(rt, "background") == 0,
		Limit:      rapid.IntRange(0, 3).Draw(rt, "limit"),
	}
	where := rapid.IntRange(0, 3).Draw(rt, "where")
	switch where {
	case 0:
		return f(s)
	case 1:
		return f(parallel.With(s, opts))
	case 2:
		return s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return f(parallel.With(c,
				opts))
		})).Launch().Wait(bg)
	}
	var err error
	if e := s.RunLoop(taskgraph.Loop{N: 3, Unbalanced: true,
		Body: func(p *taskgraph.Participant, lo, _ int) error {
			if lo == 1 {
				err = f(parallel.With(p, opts))
			}
			return nil
		}}); e != nil {
		return e
	}
	return err
}

// ints draws a slice.
func ints(rt *rapid.T, most int) []int {
	n := rapid.IntRange(0, most).Draw(rt, "n")
	values := rapid.IntRange(1, 2*most).Draw(rt, "values")
	seed := rapid.Uint64().Draw(rt, "seed")
	s := make([]int, n)
	for i := range s {
		seed = seed*6364136223846793005 + 1442695040888963407
		s[i] = int(seed>>33) % values
	}
	return s
}

// A loop with whatever options covers each element once, wherever it runs.
func TestLoopsCoverEachElementOnce(t *testing.T) {
	all := systems(t)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 2000).Draw(rt, "n")
		seen := make([]int, n) // plain: each element is one call's
		require.NoError(rt, somewhere(rt, all, func(on parallel.Launcher) error {
			return on.RunLoop(taskgraph.Loop{N: n,
				Body: func(_ *taskgraph.Participant, lo, hi int) error {
					for i := lo; i < hi; i++ {
						seen[i]++
					}
					return nil
				}})
		}))
		for i, x := range seen {
			require.Equal(rt, 1, x, "element %d", i)
		}
	})
}

// Each participant has a value for itself; together they have seen every element.
func TestRangeValues(t *testing.T) {
	all := systems(t)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 2000).Draw(rt, "n")
		most := rapid.IntRange(1, 10).Draw(rt, "values")
		with := make([][]int, most)
		var made [][]int
		var calls atomics.Int32
		require.NoError(rt, somewhere(rt, all, func(on parallel.Launcher) (err error) {
			add := func(v *[]int, lo, hi int) error {
				for i := lo; i < hi; i++ {
					*v = append(*v, i)
				}
				return nil
			}
			if err := parallel.RangeWith(on, n, with, add); err != nil {
				return err
			}
			made, err = parallel.RangeNew(on, n, func(int) []int {
				calls.Add(1)
				return []int{}
			}, add)
			return err
		}))
		require.EqualValues(rt, len(made), calls.Load())
		for _, values := range [][][]int{with, made} {
			got := slices.Concat(values...)
			slices.Sort(got)
			require.Len(rt, got, n)
			for i, x := range got {
				require.Equal(rt, i, x)
			}
		}
	})
}

func TestMapAsSerial(t *testing.T) {
	all := systems(t)
	rapid.Check(t, func(rt *rapid.T) {
		src := ints(rt, 2000)
		want := make([]string, len(src))
		for i, v := range src {
			want[i] = fmt.Sprint(v)
		}
		dst := make([]string, len(src)+1)
		double := slices.Clone(src)
		require.NoError(rt, somewhere(rt, all, func(on parallel.Launcher) error {
			return errors.Join(parallel.Map(on, dst, src, func(v int) string {
				return fmt.Sprint(v)
			}),
				parallel.Map(on, double, double, func(v int) int { return 2 * v }))
		}))
		require.Equal(rt, append(want, ""), dst)
		for i, v := range src {
			require.Equal(rt, 2*v, double[i])
		}
	})
}

// An operation that is associative and not commutative: the order is kept.
func TestReduceAsSerial(t *testing.T) {
	all := systems(t)
	rapid.Check(t, func(rt *rapid.T) {
		src := ints(rt, 2000)
		var want strings.Builder
		for _, v := range src {
			want.WriteRune(rune('a' + v%26))
		}
		require.NoError(rt, somewhere(rt, all, func(on parallel.Launcher) error {
			got, err := parallel.Reduce(on, src, "", func(a string, v int) string {
				return a + string(rune('a'+v%26))
			},
				func(a, b string) string { return a + b })
			assert.Equal(rt, want.String(), got)
			return err
		}))
	})
}

// The sum of floating-point numbers is the same, to the last bit, whoever adds.
func TestReduceIsDeterministic(t *testing.T) {
	all := systems(t)
	x := make([]float64, 100_000)
	for i := range x {
		x[i] = 1 / float64(i+1)
	}
	add := func(a, b float64) float64 { return a + b }
	want, err := parallel.Reduce(parallel.With(all[0], taskgraph.Loop{Serial: true}), x, 0, add,
		add)
	require.NoError(t, err)
	for _, s := range all {
		for range 5 {
			got, err := parallel.Reduce(parallel.With(s, taskgraph.Loop{Unbalanced: true}), x, 0,
				add, add)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	}
}

// affine is x -> a*x+b modulo 2^32: composition is associative and not commutative.
type affine struct{ a, b uint32 }

func then(f, g affine) affine { return affine{f.a * g.a, f.b*g.a + g.b} }

func TestScanAsSerial(t *testing.T) {
	all := systems(t)
	rapid.Check(t, func(rt *rapid.T) {
		var src []affine
		for _, v := range ints(rt, 3000) {
			src = append(src, affine{uint32(v)*2 + 1, uint32(v)})
		}
		first := affine{3, 5}
		inclusive, exclusive := make([]affine, len(src)), make([]affine, len(src))
		total := first
		for i, f := range src {
			exclusive[i] = total
			total = then(total, f)
			inclusive[i] = f
			if i > 0 {
				inclusive[i] = then(inclusive[i-1], f)
			}
		}
		inPlace := rapid.Bool().Draw(rt, "in place")
		got, gotExclusive := make([]affine, len(src)), make([]affine, len(src))
		a, b := src, src
		if inPlace {
			copy(got, src)
			copy(gotExclusive, src)
			a, b = got, gotExclusive
		}
		require.NoError(rt, somewhere(rt, all, func(on parallel.Launcher) error {
			if err := parallel.Scan(on, got, a, then); err != nil {
				return err
			}
			sum, err := parallel.ScanExclusive(on, gotExclusive, b, first, then)
			assert.Equal(rt, total, sum)
			return err
		}))
		require.True(rt, slices.Equal(inclusive, got))
		require.True(rt, slices.Equal(exclusive, gotExclusive))
	})
}

// A pair is an element with its place.
type pair struct{ key, place int }

func byKey(a, b pair) int { return cmp.Compare(a.key, b.key) }

func TestSortAsSerial(t *testing.T) {
	all := systems(t)
	rapid.Check(t, func(rt *rapid.T) {
		keys := ints(rt, 40_000)
		pairs := make([]pair, len(keys))
		for i, k := range keys {
			pairs[i] = pair{k, i}
		}
		stable, unstable := slices.Clone(pairs), slices.Clone(pairs)
		require.NoError(rt, somewhere(rt, all, func(on parallel.Launcher) error {
			return errors.Join(parallel.SortStableFunc(on, stable, byKey),
				parallel.SortFunc(on, unstable, byKey), parallel.Sort(on, keys))
		}))
		slices.SortStableFunc(pairs, byKey)
		require.True(rt, slices.Equal(pairs, stable))
		require.True(rt, slices.IsSorted(keys))
		for i, p := range unstable {
			if pairs[i].key != p.key || pairs[i].key != keys[i] {
				require.Equal(rt, []int{pairs[i].key, pairs[i].key}, []int{p.key, keys[i]}, "%d", i)
			}
		}
		slices.SortFunc(unstable, func(a, b pair) int {
			return cmp.Or(byKey(a, b), cmp.Compare(a.place, b.place))
		})
		require.True(rt, slices.Equal(pairs, unstable), "not the same elements")
	})
}

// A comparison that panics, at any moment, leaves all elements in the slice.
func TestSortFailureKeepsTheElements(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	const n = 20_000
	for after := int64(1); after < 1_000_000; after = after*3/2 + 1000 {
		x := make([]int, n)
		for i := range x {
			x[i] = i * 7919 % n
		}
		var calls atomics.Int64
		err := parallel.SortFunc(s, x, func(a, b int) int {
			if calls.Add(1) == after {
				panic(errBoom)
			}
			return a - b
		})
		if err != nil {
			require.ErrorIs(t, err, errBoom)
		} else {
			require.Less(t, calls.Load(), after)
		}
		slices.Sort(x)
		require.Len(t, x, n)
		for i, v := range x {
			if i != v {
				require.Equal(t, i, v)
			}
		}
	}
}

// Every function ends early with a panic, wherever it comes, and the system goes on.
func TestFaults(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 3})
	src := make([]int, 1000)
	for i := range src {
		src[i] = i
	}
	for name, call := range map[string]func(on parallel.Launcher, fault func(i int)) error{
		"RangeWith": func(on parallel.Launcher, f func(int)) error {
			return parallel.RangeWith(on, 1000, src[:3], func(_ *int, i, _ int) error {
				f(i)
				return nil
			})
		},
		"RangeNew": func(on parallel.Launcher, f func(int)) error {
			_, err := parallel.RangeNew(on, 1000, func(i int) int { f(i); return i },
				func(_ *int, i, _ int) error { f(i); return nil })
			return err
		},
		"Map": func(on parallel.Launcher, f func(int)) error {
			return parallel.Map(on, make([]int, 1000), src, func(i int) int { f(i); return i })
		},
		"Reduce": func(on parallel.Launcher, f func(int)) error {
			_, err := parallel.Reduce(on, src, 0, func(_, i int) int { f(i); return i },
				func(_, i int) int { return i })
			return err
		},
		"Reduce join": func(on parallel.Launcher, f func(int)) error {
			_, err := parallel.Reduce(on, src, 0, func(_, i int) int { return 0 },
				func(_, i int) int { f(i); return i })
			return err
		},
		"Scan": func(on parallel.Launcher, f func(int)) error {
			return parallel.Scan(on, make([]int, 1000), src, func(_, i int) int {
				f(i - 1)
				return i
			})
		},
		"ScanExclusive": func(on parallel.Launcher, f func(int)) error {
			_, err := parallel.ScanExclusive(on, make([]int, 1000), src, 0, func(_, i int) int {
				f(i)
				return i
			})
			return err
		},
		"small SortFunc": func(on parallel.Launcher, f func(int)) error {
			return parallel.SortFunc(on, slices.Clone(src), func(a, b int) int {
				f(a)
				return a - b
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, unbalanced := range []bool{false, true} {
				on := parallel.With(s, taskgraph.Loop{Grain: 10, Unbalanced: unbalanced})
				require.NoError(t, call(on, func(int) {}))
				require.ErrorIs(t, call(on, func(int) { panic(errBoom) }), errBoom)
				err := call(on, func(i int) {
					if i == 500 {
						panic(errBoom)
					}
				})
				if name != "RangeNew" && name != "Reduce join" { // where 500 may not come up
					require.ErrorIs(t, err, errBoom)
				}
				// In a body, whose goroutine ends.
				e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					return call(parallel.With(c, taskgraph.Loop{Grain: 10, Unbalanced: unbalanced}),
						func(int) { runtime.Goexit() })
				})).Launch()
				require.ErrorIs(t, e.Wait(bg), graphevent.ErrGoexit)
				// With a context that has ended.
				ctx, cancel := context.WithCancelCause(bg)
				e = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					cancel(errBoom)
					err := call(c, func(int) { t.Error("called") })
					assert.ErrorIs(t, err, graphevent.ErrCanceled)
					return nil
				})).Context(ctx).Launch()
				require.NoError(t, e.Wait(bg))
			}
		})
	}
}

// With no elements nothing is called.
func TestEmpty(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var none []int
	op := func(int, int) int { t.Error("called"); return 0 }
	require.NoError(t, parallel.RangeWith(s, 0, make([]int, 1), func(*int, int, int) error {
		return errBoom
	}))
	values, err := parallel.RangeNew(s, 0, func(i int) int { return op(i, i) },
		func(*int, int, int) error { return errBoom })
	require.NoError(t, err)
	require.Empty(t, values)
	require.NoError(t, parallel.Map(s, none, none, func(i int) int { return op(i, i) }))
	sum, err := parallel.Reduce(s, none, 7, op, op)
	require.NoError(t, err)
	require.Equal(t, 7, sum)
	require.NoError(t, parallel.Scan(s, none, none, op))
	sum, err = parallel.ScanExclusive(s, none, none, 7, op)
	require.NoError(t, err)
	require.Equal(t, 7, sum)
	require.NoError(t, parallel.Sort(s, none))
	require.NoError(t, parallel.SortFunc(s, none, op))
	require.NoError(t, parallel.SortStableFunc(s, none, op))
}

func TestAfterShutdownTheCallerDoesItAll(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	require.NoError(t, s.Shutdown(bg))
	x := make([]int, 20_000)
	for i := range x {
		x[i] = -i
	}
	require.NoError(t, parallel.Sort(s, x))
	require.True(t, slices.IsSorted(x))
	n := 0
	require.NoError(t, parallel.RangeWith(s, 100, make([]int, 3), func(_ *int, lo, hi int) error {
		n += hi - lo
		return nil
	}))
	require.Equal(t, 100, n)
	require.ErrorIs(t, parallel.Pipeline(bg, s, 1,
		func() (int, bool) { t.Error("drawn"); return 0, false }), graphevent.ErrClosed)
}

// A recorder is a Launcher that notes the sites of loops.
type recorder struct {
	parallel.Launcher
	sites *[]any
}

func (r recorder) RunLoop(l taskgraph.Loop) error {
	*r.sites = append(*r.sites, l.Site)
	return r.Launcher.RunLoop(l)
}

// A site that is given with With stands for those of an algorithm, but not for that of what ends
// it.
func TestWithSite(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var site taskgraph.LoopSite
	var sites []any
	on := parallel.With(recorder{s, &sites}, taskgraph.Loop{Site: &site})
	x := []int{1, 2, 3}
	add := func(a, b int) int { return a + b }
	sum, err := parallel.Reduce(on, x, 0, add, add)
	require.NoError(t, err)
	require.Equal(t, 6, sum)
	require.Len(t, sites, 2)
	require.Same(t, &site, sites[0])
	require.NotEqual(t, reflect.TypeOf(&site), reflect.TypeOf(sites[1]))
	require.NoError(t, parallel.Map(on, x, x, func(i int) int { return i }))
	require.Same(t, &site, sites[2])
}

// A noter is a Launcher that notes loops, and runs none.
type noter struct {
	parallel.Launcher
	loops *[]taskgraph.Loop
}

func (n noter) RunLoop(l taskgraph.Loop) error {
	*n.loops = append(*n.loops, l)
	return nil
}

// Options that are not set leave those below them alone; of two limits the lower one holds, and of
// two grains the one on top.
func TestWithOverWith(t *testing.T) {
	var loops []taskgraph.Loop
	with := func(l taskgraph.Loop, more ...taskgraph.Loop) taskgraph.Loop {
		on := parallel.Launcher(noter{nil, &loops})
		for _, m := range more {
			on = parallel.With(on, m)
		}
		x := make([]int, 1000)
		require.NoError(t, parallel.With(on, l).RunLoop(taskgraph.Loop{N: len(x)}))
		got := loops[len(loops)-1]
		add := func(a, b int) int { return a + b }
		_, err := parallel.Reduce(parallel.With(on, l), x, 0, add, add)
		require.NoError(t, err)
		require.Equal(t, got.Grain, loops[len(loops)-2].Grain, "Reduce sees it as well")
		return got
	}
	require.Equal(t, 2, with(taskgraph.Loop{Limit: 2}, taskgraph.Loop{Grain: 7}).Limit)
	require.Equal(t, 7, with(taskgraph.Loop{Limit: 2}, taskgraph.Loop{Grain: 7}).Grain)
	require.Equal(t, 5, with(taskgraph.Loop{Grain: 5}, taskgraph.Loop{Grain: 7, Limit: 3}).Grain)
	require.Equal(t, 3, with(taskgraph.Loop{Grain: 5}, taskgraph.Loop{Grain: 7, Limit: 3}).Limit)
	low, high := taskgraph.Loop{Grain: 1, Limit: 2}, taskgraph.Loop{Grain: 1, Limit: 3}
	require.Equal(t, 2, with(low, high).Limit)
	require.Equal(t, 2, with(high, low).Limit)
}

func TestMisuse(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	id := func(i int) int { return i }
	op := func(a, b int) int { return a }
	for text, f := range map[string]func(){
		"taskgraph: a loop over a negative number of elements": func() {
			_, _ = parallel.RangeNew[int](s, -1, nil, nil)
		},
		"parallel: RangeWith without values": func() {
			_ = parallel.RangeWith(s, 1, []int{}, nil)
		},
		"parallel: Map into a slice that is too short": func() {
			_ = parallel.Map(s, []int{}, []int{1}, id)
		},
		"parallel: Scan into a slice that is too short": func() {
			_ = parallel.Scan(s, []int{}, []int{1}, op)
		},
		"parallel: ScanExclusive into a slice that is too short": func() {
			_, _ = parallel.ScanExclusive(s, []int{}, []int{1}, 0, op)
		},
		"parallel: With a Loop that says what to do": func() {
			parallel.With(s, taskgraph.Loop{N: 1})
		},
		"parallel: With a negative Grain or Limit": func() {
			parallel.With(s, taskgraph.Loop{Limit: -1})
		},
		"parallel: With a nil LoopSite": func() {
			parallel.With(s, taskgraph.Loop{Site: (*taskgraph.LoopSite)(nil)})
		},
		"parallel: Pipeline with a nil context": func() {
			_ = parallel.Pipeline(context.Context(nil), s, 1, func() (int, bool) {
				return 0, false
			})
		},
		"parallel: Pipeline with no tokens": func() {
			_ = parallel.Pipeline(bg, s, 0, func() (int, bool) { return 0, false })
		},
		"parallel: Pipeline without a source": func() {
			_ = parallel.Pipeline[int](bg, s, 1, nil)
		},
		"parallel: a stage with a nil function": func() { parallel.Serial[int](nil) },
		"parallel: Pipeline with a zero Stage": func() {
			_ = parallel.Pipeline(bg, s, 1, func() (int, bool) { return 0, false },
				parallel.Stage[int]{})
		},
	} {
		require.PanicsWithValue(t, text, f)
	}
}
