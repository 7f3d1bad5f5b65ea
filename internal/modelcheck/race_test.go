//go:build race

package modelcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

// judged are models with a plain variable x, and whether the race detector is to complain.
var judged = map[string]struct {
	race     bool
	schedule string // empty: all
	body     func(e *engine, x *int)
}{
	"no order at all": {true, "", func(e *engine, x *int) {
		var w [2]modelcheck.Uint32
		for i := range w { // the token's way from one thread to the other is no order
			e.Thread(func() { w[i].Add(1); *x++; w[i].Add(1) })
		}
	}},
	"some schedules": {true, "", unlessPublished},
	"not this one":   {false, "A1B1", unlessPublished},
	"but this one":   {true, "B1A1", unlessPublished},
	"a store does not acquire": {true, "", func(e *engine, x *int) {
		var w modelcheck.Uint32
		e.Thread(func() { *x = 1; w.Store(1) })
		e.Thread(func() { w.Store(2); *x = 2 })
	}},
	"a stored pointer does not acquire": {true, "A1B1", func(e *engine, x *int) {
		var w modelcheck.Pointer[int]
		e.Thread(func() { *x = 1; w.Store(x) })
		e.Thread(func() { w.Store(nil); *x = 2 })
	}},
	"a swap does": {false, "A1B1", func(e *engine, x *int) {
		var w modelcheck.Uint32
		e.Thread(func() { *x = 1; w.Store(1) })
		e.Thread(func() { w.Swap(2); *x = 2 })
	}},
	"a lock": {false, "", func(e *engine, x *int) {
		var held modelcheck.Bool
		for range 3 {
			e.Thread(func() {
				for !held.CompareAndSwap(false, true) {
					modelcheck.Yield()
				}
				*x++
				held.Store(false)
			})
		}
	}},
	"set-up, threads, after": {false, "", func(e *engine, x *int) {
		*x = 1
		var w modelcheck.Uint32
		e.Thread(func() { w.Load(); *x++ })
		e.Thread(func() { w.Load() })
		if e.Run() {
			*x++
		}
	}},
	"what precedes Go": {false, "", func(e *engine, x *int) {
		var w modelcheck.Uint32
		e.Thread(func() {
			w.Load()
			*x++
			modelcheck.Go(func() { *x++; w.Load(); *x++ })
		})
	}},
	"what follows Go": {true, "", func(e *engine, x *int) {
		var w modelcheck.Uint32
		e.Thread(func() {
			modelcheck.Go(func() { *x++; w.Load() })
			w.Load()
			*x++
		})
	}},
	"the end of a child does not order its parent": {true, "", func(e *engine, x *int) {
		var w modelcheck.Uint32
		e.Thread(func() {
			modelcheck.Go(func() { *x++ })
			w.Load()
			*x++
		})
	}},
	"a child and what follows Run": {false, "", func(e *engine, x *int) {
		e.Thread(func() { modelcheck.Go(func() { *x++ }) })
		if e.Run() {
			*x++
		}
	}},
	"a wake alone is no order": {true, "A1B1", func(e *engine, x *int) {
		var w modelcheck.Uint32
		e.Thread(func() { modelcheck.FutexWait(&w, 0, -1); *x++ })
		e.Thread(func() { *x++; modelcheck.FutexWake(&w, 1) })
	}},
}

func unlessPublished(e *engine, x *int) {
	var done modelcheck.Uint32
	e.Thread(func() { *x = 1; done.Store(1) })
	e.Thread(func() { done.Load(); *x = 2 })
}

func init() {
	for name, m := range judged {
		children[name] = func() {
			for _, search := range explorers {
				explorer := search()
				if m.schedule != "" {
					x, err := modelcheck.NewReplay(m.schedule)
					if err != nil {
						panic(err)
					}
					explorer = x
				}
				if f := explore(modelcheck.Config{}, explorer, 200,
					func(e *engine) { m.body(e, new(int)) }).Failure; f != nil {
					panic(f.Text + f.Trace)
				}
			}
		}
	}
}

// The race detector sees the order that the program's own words make, and no other.
func TestRaceDetectorJudgesEachSchedule(t *testing.T) {
	for name, m := range judged {
		t.Run(name, func(t *testing.T) {
			out, err := child(t, name)
			if m.race {
				require.Error(t, err)
				require.Contains(t, out, "DATA RACE")
				require.Contains(t, out, "race_test.go")
			} else {
				require.NoError(t, err, out)
			}
		})
	}
}
