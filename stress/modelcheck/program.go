package modelcheck

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"strings"

	"github.com/heddle-go/heddle/internal/modelcheck"
	"github.com/heddle-go/heddle/stress/history"
)

// A shape is the size of a program, and how it is explored.
type shape struct {
	threads, ops int
	explorers    func(n int) []Explorer
}

// shapes are what generated programs look like. Small ones are explored in all their
// executions; the larger a program, the more is left to chance.
var shapes = []shape{
	{2, 3, exhaustively}, {3, 1, exhaustively}, {3, 2, bounded}, {2, 4, exhaustively},
	{3, 2, exhaustively}, {3, 3, randomly}, {2, 2, exhaustively}, {4, 2, randomly},
}

func exhaustively(n int) []Explorer {
	return []Explorer{DepthFirst(1, n/8), DPOR(n / 2), RandomWalk(n / 8), PCT(3, n/8),
		DepthFirst(2, n/8)}
}

func bounded(n int) []Explorer {
	return []Explorer{DepthFirst(0, 0), DepthFirst(1, n/8), DepthFirst(2, n/4), DepthFirst(3, n/4),
		DPOR(n / 4), RandomWalk(n / 8)}
}

func randomly(n int) []Explorer {
	return []Explorer{RandomWalk(3 * n / 8), PCT(2, n/8), PCT(3, n/8), PCT(4, n/8), PCT(5, n/8),
		PCT(6, n/8)}
}

// A program is what the threads call: numbers of operations. The first list is the set-up.
type program [][]int

// generate draws a program.
func (s *Structure[S]) generate(r *rand.Rand, sh shape) program {
	threads := sh.threads
	if s.Threads != 0 {
		threads = min(threads, s.Threads)
	}
	p := make(program, 1+threads)
	for n := r.IntN(4); n > 0; n-- {
		if op, ok := s.draw(r, -1); ok {
			p[0] = append(p[0], op)
		}
	}
	for th := range threads {
		for range sh.ops {
			if op, ok := s.draw(r, th); ok {
				p[1+th] = append(p[1+th], op)
			}
		}
	}
	return p
}

// draw draws an operation for a thread.
func (s *Structure[S]) draw(r *rand.Rand, thread int) (op int, ok bool) {
	sum := 0
	for i := range s.Ops {
		if s.Ops[i].Who.may(thread) {
			sum += max(s.Ops[i].Weight, 1)
		}
	}
	if sum == 0 {
		return 0, false
	}
	at := r.IntN(sum)
	for i := range s.Ops {
		if s.Ops[i].Who.may(thread) {
			if at -= max(s.Ops[i].Weight, 1); at < 0 {
				return i, true
			}
		}
	}
	return 0, false
}

// text shows a program.
func (s *Structure[S]) text(p program) string {
	var b strings.Builder
	value := 0
	for i, ops := range p {
		if i == 0 {
			b.WriteString("  set-up:  ")
		} else {
			fmt.Fprintf(&b, "  thread %c:", 'A'+i-1)
		}
		for _, op := range ops {
			value++
			fmt.Fprintf(&b, " %s(%d)", s.Ops[op].Name, value)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// body returns the body that runs a program on an engine.
func (s *Structure[S]) body(e *modelcheck.Engine, p program, judge Judge) func() {
	var (
		logs   = make([]Log, len(p))
		all    []history.Call
		known  = map[uint64]bool{} // histories that were judged
		first  = make([]int, len(p))
		value  = 1
		ends   Log
		clock  int64
		hasher maphash.Hash
	)
	for i, ops := range p {
		logs[i].thread = int32(i) - 1
		logs[i].name = s.CallName
		if s.CallName == nil {
			logs[i].name = history.OpName
		}
		logs[i].calls = make([]history.Call, 0, 4*len(ops)+1)
		first[i] = value
		value += len(ops)
	}
	logs[0].clock, ends.clock, ends.thread = &clock, &clock, -1
	return func() {
		x := s.New()
		clock = 0
		for i := range logs {
			logs[i].calls = logs[i].calls[:0]
		}
		thread := func(i int) {
			for k, op := range p[i] {
				s.Ops[op].Do(x, &logs[i], int64(first[i]+k))
			}
		}
		thread(0)
		for i := range logs[0].calls { // the last at -1: the threads begin at 0
			c := &logs[0].calls[i]
			c.Begin, c.End = c.Begin-clock-1, c.End-clock-1
		}
		for i := 1; i < len(p); i++ {
			e.Thread(func() { thread(i) })
		}
		if !e.Run() {
			return
		}
		ends.calls = ends.calls[:0]
		for i := range logs {
			for _, c := range logs[i].calls {
				if clock = max(clock, c.Begin); c.End != history.Never {
					clock = max(clock, c.End)
				}
			}
		}
		if s.Drain != nil {
			s.Drain(x, &ends)
		}
		all = all[:0]
		for i := range logs {
			all = append(all, logs[i].calls...)
		}
		all = append(all, ends.calls...)
		if s.Composite && pending(all) {
			return
		}
		if h := digest(&hasher, all); !known[h] {
			if !judge.Linearizable(all) {
				e.Fail(modelcheck.KindLinearizability, judge.Explain(all))
				return
			}
			known[h] = true
		}
		if s.Check != nil {
			if wrong := s.Check(x, all); wrong != "" {
				e.Fail(modelcheck.KindAssertion, wrong)
			}
		}
	}
}

// pending reports whether a call has not returned.
func pending(calls []history.Call) bool {
	for i := range calls {
		if calls[i].Status == history.Pending {
			return true
		}
	}
	return false
}

// digest returns a number that two histories of a program share, but for accidents, if they
// differ in times alone, and not in what precedes what.
func digest(h *maphash.Hash, calls []history.Call) uint64 {
	h.Reset()
	var bits uint64
	n := 0
	for i := range calls {
		c := &calls[i]
		maphash.WriteComparable(h,
			[5]int64{int64(c.Thread), int64(c.Op), c.Arg, c.Ret, int64(c.Status)})
		for j := range calls {
			if d := &calls[j]; c.Thread != d.Thread && c.Thread >= 0 && d.Thread >= 0 {
				bits <<= 1
				if c.End < d.Begin {
					bits |= 1
				}
				if n++; n == 64 {
					maphash.WriteComparable(h, bits)
					bits, n = 0, 0
				}
			}
		}
	}
	maphash.WriteComparable(h, bits)
	return h.Sum64()
}
