package parallel

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// Scan sets dst[i] to src[0] op src[1] op … op src[i]: the inclusive scan, or prefix sums. Op must
// be associative; it need not be commutative. How operations are grouped depends on who takes part,
// so sums of floating-point numbers can differ in their last bits from run to run. It panics if dst
// is shorter than src. Dst may be src.
//
// Alone the caller applies op once for each element. Those who help do so twice for what they take
// off it; so two participants need three quarters of the time of one, and many need two n-ths.
func Scan[T any](on Launcher, dst, src []T, op func(a, b T) T) error {
	if len(dst) < len(src) {
		panic("parallel: Scan into a slice that is too short")
	}
	if len(src) == 0 {
		return nil
	}
	_, err := scan(on, len(src), src, op, func(before T, some bool, lo, hi int) T {
		i := lo
		if !some {
			before = src[lo]
			dst[lo] = before
			i++
		}
		to := dst[:hi]
		for ; i < hi; i++ {
			before = op(before, src[i])
			to[i] = before
		}
		return before
	}, src[0], false)
	return err
}

// ScanExclusive sets dst[i] to first op src[0] op … op src[i-1], and returns first op … op the last
// element. It is [Scan] otherwise.
func ScanExclusive[T any](on Launcher, dst, src []T, first T,
	op func(a, b T) T) (total T, err error) {
	if len(dst) < len(src) {
		panic("parallel: ScanExclusive into a slice that is too short")
	}
	if len(src) == 0 {
		return first, nil
	}
	return scan(on, len(src), src, op, func(before T, _ bool, lo, hi int) T {
		to := dst[:hi]
		for i := lo; i < hi; i++ {
			v := src[i] // dst may be src
			to[i] = before
			before = op(before, v)
		}
		return before
	}, first, true)
}

// scan runs a scan over n elements in blocks. Direct scans a block, given what comes before, if
// there is something, and returns what comes before the next.
//
// As Blelloch, "Prefix Sums and Their Applications", 1990, section 1.3.1: blocks are summed, the
// sums scanned, and the blocks scanned with those as beginnings. But the caller scans blocks from
// the left at once, since it knows what is before them, while helpers sum blocks from the right:
// each call takes a block from its end, and there are as many calls as blocks, so they meet.
func scan[T any](on Launcher, n int, src []T, op func(a, b T) T,
	direct func(before T, some bool, lo, hi int) T, before T, some bool) (T, error) {
	size := pieceSize(on, n)
	blocks := (n-1)/size + 1
	var sums []T // of the blocks from the right, the last one first; made when a helper comes
	if limit(on) > 1 {
		sums = make([]T, blocks)
	}
	left := 0 // blocks scanned, by the caller
	var right atomics.Int64
	err := on.RunLoop(taskgraph.Loop{N: n, Grain: size, Site: op,
		Body: func(p *taskgraph.Participant, _, _ int) error {
			if p.Index() == 0 {
				lo := left * size
				before = direct(before, some, lo, lo+min(size, n-lo))
				left, some = left+1, true
				return nil
			}
			k := int(right.Add(1)) - 1
			lo := (blocks - 1 - k) * size
			s := src[lo : lo+min(size, n-lo)]
			sum := s[0]
			for _, v := range s[1:] {
				sum = op(sum, v)
			}
			sums[k] = sum
			return nil
		}})
	if err != nil || left == blocks {
		return before, err
	}
	return finishScan(on, n, size, left, sums[:blocks-left], op, direct, before, some)
}

// finishScan scans the blocks after the left ones, whose sums are there, the last one first.
func finishScan[T any](on Launcher, n, size, left int, sums []T, op func(a, b T) T,
	direct func(before T, some bool, lo, hi int) T, before T, some bool) (T, error) {
	rest := n - left*size
	if !some { // the caller had no block
		before = sums[len(sums)-1]
	}
	starts := sums // what comes before the block, in the same order
	err := on.RunLoop(taskgraph.Loop{N: 1, Serial: true, Site: op,
		Body: func(*taskgraph.Participant, int, int) error {
			for k := len(sums) - 1; k >= 0; k-- {
				sum := sums[k]
				starts[k] = before
				if some || k != len(sums)-1 {
					before = op(before, sum)
				}
			}
			return nil
		}})
	if err != nil {
		return before, err
	}
	return before, on.RunLoop(taskgraph.Loop{N: rest, Grain: size, Site: op,
		Body: func(_ *taskgraph.Participant, lo, hi int) error {
			b := lo / size
			direct(starts[len(starts)-1-b], some || b > 0, left*size+lo, left*size+hi)
			return nil
		}})
}
