package watch

import "testing"

// Test watches a test until its end, after the functions given to its Cleanup later: it fails
// if goroutines are left over that were started meanwhile, see [Leaks], and if it is not over
// within [Limit], it ends the process as [Hangs] does, with a [Dump] of what. Benchmarks and
// fuzz targets are not watched: their length is not theirs to choose.
func Test(t testing.TB, what ...any) {
	if _, ok := t.(*testing.T); !ok {
		return
	}
	t.Helper()
	leaked := Leaks()
	stop := Hangs(0, append([]any{t.Name()}, what...)...)
	t.Cleanup(func() {
		stop()
		if err := leaked(); err != nil {
			t.Error(err)
		}
	})
}
