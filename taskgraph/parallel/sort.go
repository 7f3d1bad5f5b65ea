package parallel

import (
	"cmp"
	"slices"

	"github.com/heddle-go/heddle/taskgraph"
)

// Sort sorts s in ascending order, as slices.Sort does. It needs memory for as many elements again,
// if s is not small. If the error is not nil, s holds its elements in some order.
func Sort[T cmp.Ordered](on Launcher, s []T) error {
	if runsOf(on, len(s)) == 1 {
		return alone(on, func() { slices.Sort(s) }, slices.Sort[[]T])
	}
	return mergeSort(on, s, cmp.Compare[T], slices.Sort[[]T])
}

// SortFunc is [Sort] with an order, as slices.SortFunc. Elements that are equal may change places.
// If cmp contradicts itself, panics or ends its goroutine, s holds its elements in some order.
func SortFunc[T any](on Launcher, s []T, cmp func(a, b T) int) error {
	if runsOf(on, len(s)) == 1 {
		return alone(on, func() { slices.SortFunc(s, cmp) }, cmp)
	}
	return mergeSort(on, s, cmp, func(run []T) { slices.SortFunc(run, cmp) })
}

// SortStableFunc is [SortFunc] which leaves equal elements in their order, as
// slices.SortStableFunc.
func SortStableFunc[T any](on Launcher, s []T, cmp func(a, b T) int) error {
	if runsOf(on, len(s)) == 1 {
		return alone(on, func() { slices.SortStableFunc(s, cmp) }, cmp)
	}
	return mergeSort(on, s, cmp, func(run []T) { slices.SortStableFunc(run, cmp) })
}

const (
	sortAlone = 1 << 13 // so many elements are sorted by the caller
	mergePart = 1 << 12 // so many are merged at a time
)

// alone calls f on the caller, and makes its failure an error.
func alone(on Launcher, f func(), site any) error {
	return on.RunLoop(taskgraph.Loop{N: 1, Serial: true, Site: site,
		Body: func(*taskgraph.Participant, int, int) error {
			f()
			return nil
		}})
}

// runsOf returns how many runs n elements are sorted in: a power of 4, so that the last merge ends
// where it should, and some for each participant.
func runsOf(on Launcher, n int) int {
	most := limit(on)
	if n < sortAlone || most == 1 {
		return 1
	}
	runs := 4
	for runs < 2*most && runs < 256 && n/runs > sortAlone {
		runs *= 4
	}
	return runs
}

// mergeSort sorts runs and merges them by pairs, back and forth between s and a buffer. What a
// round merges is cut into equal parts, whose beginnings in both runs are found by bisection.
// Whichever way it ends, s holds its elements.
//
// Siebert and Träff, "Perfectly load-balanced, stable, synchronization-free parallel merge",
// Parallel Processing Letters, 2014.
func mergeSort[T any](on Launcher, s []T, cmp func(a, b T) int, sort func([]T)) error {
	n, runs := len(s), runsOf(on, len(s))
	at := func(run int) int { // where a run begins
		return n/runs*run + min(run, n%runs)
	}
	err := on.RunLoop(taskgraph.Loop{N: runs, Unbalanced: true, Grain: 1, Site: cmp,
		Body: func(_ *taskgraph.Participant, lo, hi int) error {
			sort(s[at(lo):at(hi)])
			return nil
		}})
	if err != nil {
		return err
	}
	from, to, back := s, make([]T, n), false
	defer func() { // also if cmp ends the goroutine
		if back { // s is half written
			copy(s, from)
		}
	}()
	parts := make([]part, (n-1)/mergePart+1)
	for width := 1; width < runs; width *= 2 {
		err := on.RunLoop(taskgraph.Loop{N: n, Grain: mergePart, Site: mergeSort[T],
			Body: func(_ *taskgraph.Participant, lo, hi int) error {
				var p part
				// The pairs of runs whose result reaches into the part.
				for pair := 0; pair < runs; pair += 2 * width {
					first, middle, last := at(pair), at(pair+width), at(pair+2*width)
					if first >= hi {
						break
					}
					a, b := max(lo, first), min(hi, last)
					if a >= b {
						continue
					}
					begin, end := mergeAt(to[a:b],
						from[first:middle], from[middle:last], a-first, cmp)
					if a == lo {
						p.begin = begin
					}
					if b < last {
						p.end = end
					}
				}
				parts[lo/mergePart] = p
				return nil
			}})
		if err == nil && !fit(parts) {
			err = on.RunLoop(taskgraph.Loop{N: runs / (2 * width), Unbalanced: true, Grain: 1,
				Site: cmp, Body: func(_ *taskgraph.Participant, lo, _ int) error {
					pair := lo * 2 * width
					first, middle, last := at(pair), at(pair+width), at(pair+2*width)
					mergeAt(to[first:last], from[first:middle], from[middle:last], 0, cmp)
					return nil
				}})
		}
		if err != nil {
			return err
		}
		from, to, back = to, from, !back
	}
	return nil
}

// A part says how many elements of the left run come before a part of a round's result, and before
// what follows on it; 0 where that is another pair of runs.
type part struct{ begin, end int }

// fit reports whether each part goes on where the one before it ends. With an order that
// contradicts itself it may not.
func fit(parts []part) bool {
	for i := range parts[1:] {
		if parts[i].end != parts[i+1].begin {
			return false
		}
	}
	return true
}

// mergeAt sets dst to the elements from number k on of what merging a and b yields. It returns how
// many of a come before those, and before what is left.
func mergeAt[T any](dst, a, b []T, k int, cmp func(a, b T) int) (begin, end int) {
	begin = rank(a, b, k, cmp)
	i, j := begin, k-begin
	for d := range dst {
		switch {
		case j == len(b) || i < len(a) && cmp(b[j], a[i]) >= 0:
			dst[d] = a[i]
			i++
		default:
			dst[d] = b[j]
			j++
		}
	}
	return begin, i
}

// rank returns how many of the first k elements of what merging a and b yields come from a. Of
// equal elements those of a come first.
func rank[T any](a, b []T, k int, cmp func(a, b T) int) int {
	lo, hi := max(0, k-len(b)), min(k, len(a))
	for lo < hi {
		i := lo + (hi-lo)/2
		// With i from a, a[i] comes after b[k-i-1]; if it must come before, more are from a.
		if cmp(b[k-i-1], a[i]) >= 0 {
			lo = i + 1
		} else {
			hi = i
		}
	}
	return lo
}
