package modelcheck

import (
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/heddle-go/heddle/internal/modelcheck"
	"github.com/heddle-go/heddle/stress/history"
)

// A Judge decides whether histories are right, as history.Checker and history.LevelChecker
// do.
type Judge interface {
	// Linearizable reports whether some order of the calls explains them.
	Linearizable(calls []history.Call) bool
	// Explain draws what is wrong.
	Explain(calls []history.Call) string
}

// Who says which threads of a generated program may have an operation.
type Who uint8

const (
	// Anyone: every thread, and the set-up and the end.
	Anyone Who = iota
	// First: thread A, and the set-up and the end.
	First
	// Second: thread B.
	Second
	// NotFirst: all but thread A.
	NotFirst
)

// may reports whether a thread may have the operation; -1 stands for the set-up.
func (w Who) may(thread int) bool {
	switch w {
	case First:
		return thread <= 0
	case Second:
		return thread == 1
	case NotFirst:
		return thread > 0
	}
	return true
}

// A Structure is a type under test, with its operations.
type Structure[S any] struct {
	// Name is what the type is called in reports.
	Name string

	// New returns a new one.
	New func() S

	// Ops are its operations.
	Ops []Op[S]

	// Judge returns what decides about histories.
	Judge func() Judge

	// Drain, if there is one, is called at the end of each execution, to show by further
	// calls what is left.
	Drain func(s S, l *Log)

	// Check, if there is one, may fail an execution whose history is right; it returns what is
	// wrong, or "".
	Check func(s S, calls []history.Call) string

	// Composite says that calls are logged as several, with Also: then a history in which one
	// was suspended for ever is not judged.
	Composite bool

	// Threads bounds the number of threads. Default: 4.
	Threads int

	// CallName names a call in a trace. Default: history.OpName.
	CallName func(c *history.Call) string

	// LockFree asks for the check of Options.LockFree.
	LockFree bool
}

// An Op is an operation of a Structure.
type Op[S any] struct {
	// Name is what a program calls it.
	Name string

	// Who may call it.
	Who Who

	// Do calls it and logs that. The value is from 1 to 15, and each call of a program has
	// another one.
	Do func(s S, l *Log, value int64)

	// Weight is how often it is drawn, compared to the others. Default: 1.
	Weight int
}

// A Log is what one thread of an execution called.
type Log struct {
	thread int32
	name   func(c *history.Call) string
	clock  *int64 // in the set-up and at the end, where calls have no steps
	calls  []history.Call
}

// Thread returns the number of the thread, 0 for A; -1 in the set-up and at the end.
func (l *Log) Thread() int { return int(l.thread) }

// Call makes a call of the operation op with the argument arg: f makes it and returns what it
// returned. history says what op, ret and status are.
func (l *Log) Call(op int32, arg int64, f func() (ret int64, status int32)) {
	modelcheck.OpBegin()
	returned := false
	defer func() {
		if returned {
			return
		}
		if began, ok := modelcheck.OpStarted(); ok { // suspended for ever in the middle of f
			l.calls = append(l.calls, history.Call{Thread: l.thread, Op: op, Arg: arg, Status: history.Pending, Begin: began, End: history.Never})
		}
	}()
	ret, status := f()
	begin, end := modelcheck.OpEnd()
	returned = true
	if l.clock != nil {
		*l.clock++
		begin, end = *l.clock, *l.clock
	}
	l.calls = append(l.calls, history.Call{Thread: l.thread, Op: op, Arg: arg, Ret: ret, Status: status, Begin: begin, End: end})
	if modelcheck.Inside() {
		modelcheck.Note(func() string { return fmt.Sprintf("[%s]", l.name(&l.calls[len(l.calls)-1])) })
	}
}

// Also logs another step of the call that was logged last, over the same interval.
func (l *Log) Also(op int32, arg, ret int64, status int32) {
	c := l.calls[len(l.calls)-1]
	c.Op, c.Arg, c.Ret, c.Status = op, arg, ret, status
	l.calls = append(l.calls, c)
}

// Last returns the call that was logged last, to be changed.
func (l *Log) Last() *history.Call { return &l.calls[len(l.calls)-1] }

// A shape is the size of a program, and how it is explored.
type shape struct {
	threads, ops int
	explorers    func(n int) []Explorer
}

// shapes are what generated programs look like. Small ones are explored in all their
// executions; the larger a program, the more is left to chance.
var shapes = []shape{
	{2, 3, exhaustively}, {3, 1, exhaustively}, {3, 2, bounded}, {2, 4, exhaustively}, {3, 2, exhaustively}, {3, 3, randomly}, {2, 2, exhaustively}, {4, 2, randomly},
}

func exhaustively(n int) []Explorer {
	return []Explorer{DepthFirst(1, n/8), DPOR(n / 2), RandomWalk(n / 8), PCT(3, n/8), DepthFirst(2, n/8)}
}

func bounded(n int) []Explorer {
	return []Explorer{DepthFirst(0, 0), DepthFirst(1, n/8), DepthFirst(2, n/4), DepthFirst(3, n/4), DPOR(n / 4), RandomWalk(n / 8)}
}

func randomly(n int) []Explorer {
	return []Explorer{RandomWalk(3 * n / 8), PCT(2, n/8), PCT(3, n/8), PCT(4, n/8), PCT(5, n/8), PCT(6, n/8)}
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
		clock = -1 << 30
		for i := range logs {
			logs[i].calls = logs[i].calls[:0]
		}
		thread := func(i int) {
			for k, op := range p[i] {
				s.Ops[op].Do(x, &logs[i], int64(first[i]+k))
			}
		}
		thread(0)
		for i := 1; i < len(p); i++ {
			e.Thread(func() { thread(i) })
		}
		if !e.Run() {
			return
		}
		clock = 1 << 30
		ends.calls = ends.calls[:0]
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
		maphash.WriteComparable(h, [5]int64{int64(c.Thread), int64(c.Op), c.Arg, c.Ret, int64(c.Status)})
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

// Budget says how much Programs explores.
type Budget struct {
	// Programs is the number of programs; it is exceeded if they have too few executions.
	// Default: 40, or the environment's MODELCHECK_PROGRAMS.
	Programs int

	// Executions bounds the number of executions of all of them, roughly. Default: 60,000, or
	// the environment's MODELCHECK_EXECUTIONS.
	Executions int
}

// Programs makes programs of a structure's operations, explores the executions of each, and
// fails the test if the history of one is wrong, or as Check does. What is said of Check's
// programs holds for the operations.
//
// In o, Explorers and LockFree are ignored. In the environment, MODELCHECK_SHARD=i/n leaves to
// this process each n-th program, and MODELCHECK_PROGRAM selects one.
func Programs[S any](t testing.TB, s Structure[S], b Budget, o Options) Tally {
	t.Helper()
	if o.Name == "" {
		o.Name = t.Name()
	}
	tally, err := s.explore(b, o)
	t.Log(s.Name, tally)
	if err != nil {
		t.Fatal(err)
	}
	return tally
}

// Where the state spaces of small programs are used up before the budget is, more programs
// are drawn, and longer ones.
const (
	moreAtMost = 30  // times Budget.Programs
	growth     = 240 // programs, after which they have one more operation a thread
	most       = 16  // operations in all
)

func (s *Structure[S]) explore(b Budget, o Options) (Tally, error) {
	none := Tally{Bound: -1}
	o, err := o.withDefaults()
	if err != nil {
		return none, err
	}
	o.LockFree = s.LockFree
	if b.Programs == 0 {
		if b.Programs, err = number("MODELCHECK_PROGRAMS", 40); err != nil {
			return none, err
		}
	}
	if b.Executions == 0 {
		if b.Executions, err = number("MODELCHECK_EXECUTIONS", 60_000); err != nil {
			return none, err
		}
	}
	part, of, err := shard()
	if err != nil {
		return none, err
	}
	only, err := number("MODELCHECK_PROGRAM", -1)
	if err != nil {
		return none, err
	}
	h := fnv.New64a()
	h.Write([]byte(o.Name))
	nameHash := h.Sum64() &^ (1<<32 - 1)
	judge := s.Judge()
	r := newRun(o, s.Name)
	each := max(b.Executions/b.Programs, 8)
	r.share = max(each/100, 10)
	for i := range b.Programs * moreAtMost {
		if i%of != part {
			continue
		}
		if only >= 0 {
			if i != only {
				continue
			}
		} else if i >= b.Programs && r.tally.Executions >= b.Executions/of {
			break
		}
		sh := shapes[i%len(shapes)]
		sh.ops = min(sh.ops+i/growth, most/sh.threads)
		p := s.generate(rand.New(rand.NewPCG(o.Seed, uint64(i)^nameHash)), sh)
		r.o.Explorers = sh.explorers(each)
		if err := r.program(i, s.text(p), func(e *modelcheck.Engine) func() { return s.body(e, p, judge) }); err != nil {
			return r.finish(err)
		}
	}
	return r.finish(nil)
}
