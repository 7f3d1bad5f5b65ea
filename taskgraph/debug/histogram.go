package debug

import (
	"math"
	"math/bits"
	"time"
)

// A histogram counts durations in buckets whose width grows with them, so that each is known to an
// eighth of its size, from a nanosecond to hours. After HdrHistogram (Gil Tene).
type histogram struct {
	counts [buckets]uint64
	n      uint64
	max    time.Duration
}

// A bucket is found by the position of the highest bit and the next bits below it. The first octave
// has a bucket for each value.
const (
	fine    = 3 // bits below the highest
	buckets = (64 - fine) << fine
)

func bucketOf(d time.Duration) int {
	v := uint64(max(d, 0))
	if v < 1<<fine {
		return int(v)
	}
	shift := bits.Len64(v) - fine - 1
	return (shift+1)<<fine | int(v>>shift)&(1<<fine-1)
}

// bottom returns the smallest duration of a bucket.
func bottom(bucket int) time.Duration {
	if bucket < 1<<fine {
		return time.Duration(bucket)
	}
	shift := bucket>>fine - 1
	return time.Duration(1<<fine|bucket&(1<<fine-1)) << shift
}

func (h *histogram) add(d time.Duration) {
	h.counts[bucketOf(d)]++
	h.n++
	h.max = max(h.max, d)
}

// quantile returns a duration that at least a share p of all is not above: the largest of its
// bucket, or the largest of all. It returns 0 if there is none.
func (h *histogram) quantile(p float64) time.Duration {
	want, seen := uint64(p*float64(h.n)), uint64(0)
	if float64(want) < p*float64(h.n) {
		want++
	}
	for i, n := range h.counts {
		if seen += n; n > 0 && seen >= want {
			return min(bottom(i+1)-1, h.max)
		}
	}
	return h.max
}

// A bar is one octave of a histogram.
type bar struct {
	From, To time.Duration // To is the first that is no more of it
	N        uint64
}

// octaves returns the counts by powers of two, from the first to the last that is not empty.
func (h *histogram) octaves() []bar {
	var bars []bar
	for i := 0; i < buckets; i += 1 << fine {
		b := bar{From: bottom(i), To: math.MaxInt64}
		if i+1<<fine < buckets {
			b.To = bottom(i + 1<<fine)
		}
		for _, n := range h.counts[i : i+1<<fine] {
			b.N += n
		}
		if b.N > 0 || len(bars) > 0 {
			bars = append(bars, b)
		}
	}
	for len(bars) > 0 && bars[len(bars)-1].N == 0 {
		bars = bars[:len(bars)-1]
	}
	return bars
}
