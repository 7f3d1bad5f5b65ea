//go:build modelcheck

package lockfree_test

import (
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// A dequeJudge judges histories of a deque: a Steal may give up only if another call takes an
// element inside it.
type dequeJudge struct{ sequenceJudge }

func newDequeJudge() modelcheck.Judge { return newDequeJudgeOf(history.Deque()) }

func newDequeJudgeOf(spec history.Spec[history.Values]) modelcheck.Judge {
	return &dequeJudge{sequenceJudge{Judge: history.NewChecker(sequenced(spec, false))}}
}

func (j *dequeJudge) Linearizable(calls []history.Call) bool {
	calls = j.single(calls)
	return history.RetryJustified(calls, history.Taking) && j.Judge.Linearizable(calls)
}

func (j *dequeJudge) Explain(calls []history.Call) string {
	calls = j.single(calls)
	if !history.RetryJustified(calls, history.Taking) {
		return "a Steal that gave up overlaps no call that took an element\n"
	}
	return j.Judge.Explain(calls)
}

// looking returns the operation of Newest.
func looking(weight int) modelcheck.Op[*lockfree.Deque[uint32]] {
	return modelcheck.Op[*lockfree.Deque[uint32]]{Name: "Newest", Who: modelcheck.First,
		Weight: weight, Do: func(d *lockfree.Deque[uint32], l *modelcheck.Log, _ int64) {
			l.Call(history.OpNewest, 0, func() (int64, int32) {
				v, ok := d.Newest()
				return result(int64(v), ok)
			})
		}}
}

// stealing returns the operation of a steal.
func stealing[S any](name string, who modelcheck.Who, weight int,
	steal func(s S) (int64, lockfree.StealResult)) modelcheck.Op[S] {
	return modelcheck.Op[S]{Name: name, Who: who, Weight: weight,
		Do: func(s S, l *modelcheck.Log, _ int64) {
			l.Call(history.OpSteal, 0, func() (int64, int32) {
				v, r := steal(s)
				return v, stealStatus[r]
			})
		}}
}

// raiding returns the operation of a steal of several values, which counts as one of each.
func raiding(weight int) modelcheck.Op[*lockfree.Deque[uint32]] {
	return modelcheck.Op[*lockfree.Deque[uint32]]{Name: "StealN", Who: modelcheck.NotFirst,
		Weight: weight, Do: func(d *lockfree.Deque[uint32], l *modelcheck.Log, _ int64) {
			for _, c := range raided(d, l)[1:] {
				l.Also(c.Op, c.Arg, c.Ret, c.Status)
			}
		}}
}

// raided makes a call of StealN, logs it as its first steal, and returns all.
func raided(d *lockfree.Deque[uint32], l *modelcheck.Log) []history.Call {
	var buf [3]uint32
	n := 0
	l.Call(seqStealN, 0, func() (int64, int32) {
		var r lockfree.StealResult
		n, r = d.StealN(buf[:])
		return int64(buf[0]), stealStatus[r]
	})
	c := l.Last()
	c.Op = history.OpSteal
	if n == 0 {
		c.Ret = 0
		return []history.Call{*c}
	}
	c.Arg = 1
	calls := []history.Call{*c}
	for i, v := range buf[1:n] {
		more := *c
		more.Arg, more.Ret = int64(2+i), int64(v)
		calls = append(calls, more)
	}
	return calls
}

// stolen returns the end of an execution: values are stolen until there are none. The owner
// may have been suspended in the middle of a call, so nobody may take its part.
func stolen[S any](steal func(s S) (int64, lockfree.StealResult)) func(s S, l *modelcheck.Log) {
	op := stealing("Steal", modelcheck.Anyone, 1, steal)
	return func(s S, l *modelcheck.Log) {
		for range 30 { // a wrong deque may never be empty
			if op.Do(s, l, 0); l.Last().Status != history.OK {
				return
			}
		}
	}
}

// Thread A and the set-up are the owner; the others steal.
func TestModelDeque(t *testing.T) {
	t.Run("raids", testDequeRaids)
	t.Run("programs", testDequePrograms)
	t.Run("programs of raids", testDequeProgramsOfRaids)
	t.Run("ownership moves", testDequeOwnershipMoves)
	t.Run("everything is taken", testDequeEverythingIsTaken)
}

func testDequePrograms(t *testing.T) {
	type deque = *lockfree.Deque[uint32]
	steal := func(d deque) (int64, lockfree.StealResult) {
		v, r := d.Steal()
		return int64(v), r
	}
	drain := func(d deque) iter.Seq[int64] {
		return func(yield func(int64) bool) {
			for v := range d.Drain() {
				if !yield(int64(v)) {
					return
				}
			}
		}
	}
	s := modelcheck.Structure[deque]{
		Name: "Deque",
		Ops: []modelcheck.Op[deque]{
			pushing("Push", modelcheck.First, 4, func(d deque, v int64) bool {
				d.Push(uint32(v))
				return true
			}),
			popping("Pop", modelcheck.First, 6, func(d deque) (int64, bool) {
				v, ok := d.Pop()
				return int64(v), ok
			}),
			pushingAll("PushAll", modelcheck.First, 2, func(d deque, vs []int64) {
				d.PushAll([]uint32{uint32(vs[0]), uint32(vs[1])})
			}),
			draining(modelcheck.First, 1, drain),
			stealing("Steal", modelcheck.First, 1, steal),
			stealing("Steal", modelcheck.NotFirst, 8, steal),
			raiding(4),
			asking(modelcheck.Anyone, 1, deque.Empty),
			looking(1),
		},
		Judge:    newDequeJudge,
		Drain:    stolen(steal),
		LockFree: true,
	}
	eachVariant(t, s,
		variant[deque]{"new", func() deque { return new(lockfree.Deque[uint32]) }},
		variant[deque]{"wrap", func() deque {
			return lockfree.NewDequeAt[uint32](math.MaxUint64 - 1)
		}},
		variant[deque]{"buffer of 1", func() deque {
			return lockfree.NewDequeOf[uint32](math.MaxUint64, 1)
		}},
		variant[deque]{"buffer of 2", func() deque {
			return lockfree.NewDequeOf[uint32](math.MaxUint64-2, 2)
		}},
	)
	// A thief that looks twice while there is always an element.
	s.New = func() deque { return new(lockfree.Deque[uint32]) }
	eachProgram(t, s, "Push | Push Steal Push Steal | Steal",
		"Push | Push Steal Push Steal | Empty",
		"Push Push | Newest Pop Newest Push Newest | Steal Steal")
}

// raidable returns a deque at the given position with a buffer of 8 and the values 101 to 105, and
// the judge of its histories: five are the fewest that a raid and pops can meet in.
func raidable(pos uint64) *lockfree.Deque[uint32] {
	d := lockfree.NewDequeOf[uint32](pos, 8)
	d.PushAll([]uint32{101, 102, 103, 104, 105})
	return d
}

func newRaidJudge() modelcheck.Judge {
	spec := history.Deque()
	for v := range int64(5) {
		spec.Init.Push(101 + v)
	}
	return newDequeJudgeOf(spec)
}

// Raids of one and two thieves, while the owner pops down to what they have in view.
func testDequeProgramsOfRaids(t *testing.T) {
	type deque = *lockfree.Deque[uint32]
	steal := func(d deque) (int64, lockfree.StealResult) {
		v, r := d.Steal()
		return int64(v), r
	}
	pop := popping("Pop", modelcheck.First, 2, func(d deque) (int64, bool) {
		v, ok := d.Pop()
		return int64(v), ok
	})
	s := modelcheck.Structure[deque]{
		Name: "Deque",
		Ops: []modelcheck.Op[deque]{
			pop,
			{Name: "Pop Pop Pop", Who: modelcheck.First, Weight: 6,
				Do: func(d deque, l *modelcheck.Log, v int64) {
					for range 3 {
						pop.Do(d, l, v)
					}
				}},
			pushing("Push", modelcheck.First, 2, func(d deque, v int64) bool {
				d.Push(uint32(v))
				return true
			}),
			pushingAll("PushAll", modelcheck.First, 2, func(d deque, vs []int64) {
				d.PushAll([]uint32{uint32(vs[0]), uint32(vs[1])})
			}),
			stealing("Steal", modelcheck.NotFirst, 2, steal),
			raiding(8),
			looking(2),
		},
		Judge:    newRaidJudge,
		Drain:    stolen(steal),
		Threads:  3,
		LockFree: true,
	}
	eachVariant(t, s,
		variant[deque]{"new", func() deque { return raidable(0) }},
		variant[deque]{"wrap", func() deque { return raidable(math.MaxUint64 - 1) }},
	)
}

// An owner, a raider and a thief: every execution with at most two preemptions, and many others.
func testDequeRaids(t *testing.T) {
	popAll := func(d *lockfree.Deque[uint32], l *modelcheck.Log) (calls []history.Call) {
		for range 4 {
			l.Call(history.OpPop, 0, func() (int64, int32) {
				v, ok := d.Pop()
				return result(int64(v), ok)
			})
			calls = append(calls, *l.Last())
		}
		return calls
	}
	push := func(d *lockfree.Deque[uint32], l *modelcheck.Log, v uint32) history.Call {
		l.Call(history.OpPush, int64(v), func() (int64, int32) { d.Push(v); return 0, history.OK })
		return *l.Last()
	}
	steal := func(d *lockfree.Deque[uint32], l *modelcheck.Log) history.Call {
		l.Call(history.OpSteal, 0, func() (int64, int32) {
			v, r := d.Steal()
			return int64(v), stealStatus[r]
		})
		return *l.Last()
	}
	look := func(d *lockfree.Deque[uint32], l *modelcheck.Log) history.Call {
		l.Call(history.OpNewest, 0, func() (int64, int32) {
			v, ok := d.Newest()
			return result(int64(v), ok)
		})
		return *l.Last()
	}
	owner := func(d *lockfree.Deque[uint32], l *modelcheck.Log) []history.Call {
		return popAll(d, l)
	}
	type part = func(d *lockfree.Deque[uint32], l *modelcheck.Log) []history.Call
	for name, parts := range map[string][]part{
		"one raider and a thief": {owner, raided,
			func(d *lockfree.Deque[uint32], l *modelcheck.Log) []history.Call {
				return []history.Call{steal(d, l)}
			}},
		"two raiders": {owner, raided, raided},
		"looks": {func(d *lockfree.Deque[uint32], l *modelcheck.Log) (calls []history.Call) {
			for range 2 {
				l.Call(history.OpPop, 0, func() (int64, int32) {
					v, ok := d.Pop()
					return result(int64(v), ok)
				})
				// what is left may all be in view of a raid
				calls = append(calls, *l.Last(), look(d, l))
			}
			return append(calls, push(d, l, 1), look(d, l))
		}, raided, func(d *lockfree.Deque[uint32], l *modelcheck.Log) []history.Call {
			return []history.Call{steal(d, l), steal(d, l)}
		}},
		"growth": {func(d *lockfree.Deque[uint32], l *modelcheck.Log) (calls []history.Call) {
			for v := range uint32(4) { // the last but one needs another buffer
				calls = append(calls, push(d, l, 1+v))
			}
			return append(calls, popAll(d, l)...)
		}, raided},
	} {
		t.Run(name, func(t *testing.T) {
			judge := newRaidJudge()
			bounds := []modelcheck.Explorer{modelcheck.DepthFirst(0, 0),
				modelcheck.DepthFirst(1, 0), modelcheck.DepthFirst(2, 0)}
			tally := modelcheck.Check(t,
				modelcheck.Options{Explorers: append(bounds,
					modelcheck.Portfolio(modelcheck.Scaled(60_000)/6)...)},
				func(m *modelcheck.Model) {
					d := raidable(math.MaxUint64 - 2)
					calls := make([][]history.Call, len(parts))
					for i, part := range parts {
						m.Thread(func() {
							calls[i] = part(d, new(modelcheck.Log))
							for k := range calls[i] {
								calls[i][k].Thread = int32(i)
							}
						})
					}
					m.After(func() {
						all := slices.Concat(calls...)
						if !judge.Linearizable(all) {
							m.Assert(false, "%s", judge.Explain(all))
						}
						taken := 0
						for _, c := range all {
							if history.Taking(&c) {
								taken++
							}
							if c.Status == history.OK && c.Op == history.OpPush {
								taken--
							}
						}
						m.Assert(d.Len() == 5-taken, "%d taken, and %d are left of 5", taken,
							d.Len())
					})
				})
			require.GreaterOrEqual(t, tally.Bound, 2)
			t.Log(tally)
		})
	}
}

func TestModelPointerDeque(t *testing.T) {
	type deque = *lockfree.PointerDeque[int64]
	steal := func(d deque) (int64, lockfree.StealResult) {
		p, r := d.Steal()
		if r != lockfree.StealOK {
			return 0, r
		}
		return *p, r
	}
	pop := func(d deque) (int64, bool) {
		p, ok := d.Pop()
		if !ok {
			return 0, false
		}
		return *p, true
	}
	drain := func(d deque) iter.Seq[int64] {
		return func(yield func(int64) bool) {
			for p := range d.Drain() {
				if !yield(*p) {
					return
				}
			}
		}
	}
	s := modelcheck.Structure[deque]{
		Name: "PointerDeque",
		Ops: []modelcheck.Op[deque]{
			pushing("Push", modelcheck.First, 4, func(d deque, v int64) bool {
				d.Push(&v)
				return true
			}),
			popping("Pop", modelcheck.First, 6, pop),
			pushingAll("PushAll", modelcheck.First, 2, func(d deque, vs []int64) {
				d.PushAll([]*int64{&vs[0], &vs[1]})
			}),
			draining(modelcheck.First, 1, drain),
			stealing("Steal", modelcheck.First, 1, steal),
			stealing("Steal", modelcheck.NotFirst, 8, steal),
			asking(modelcheck.Anyone, 1, deque.Empty),
		},
		Judge:    newDequeJudge,
		Drain:    stolen(steal),
		LockFree: true,
	}
	eachVariant(t, s,
		variant[deque]{"new", func() deque { return new(lockfree.PointerDeque[int64]) }},
		variant[deque]{"wrap", func() deque {
			return lockfree.NewPointerDequeAt[int64](math.MaxUint64 - 1)
		}},
		variant[deque]{"buffer of 1", func() deque {
			return lockfree.NewPointerDequeOf[int64](math.MaxUint64, 1)
		}},
		variant[deque]{"buffer of 2", func() deque {
			return lockfree.NewPointerDequeOf[int64](math.MaxUint64-2, 2)
		}},
	)
	// A thief that looks twice while there is always an element.
	s.New = func() deque { return new(lockfree.PointerDeque[int64]) }
	eachProgram(t, s, "Push | Push Steal Push Steal | Steal",
		"Push | Push Steal Push Steal | Empty")
}

// The owner of a deque hands it to another thread while a thief steals. The new one pushes and
// pops on; each element is taken once.
func testDequeOwnershipMoves(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		d := lockfree.NewDequeOf[uint32](math.MaxUint64-1, 2)
		taken := make([]atomics.Bool, 5)
		take := func(v uint32, ok bool) {
			if ok {
				m.Assert(taken[v].CompareAndSwap(false, true), "element %d was taken twice", v)
			}
		}
		var handed atomics.Bool
		m.Thread(func() {
			d.PushAll([]uint32{1, 2})
			take(d.Pop())
			d.Push(3)
			handed.Store(true)
		})
		m.Thread(func() {
			for !handed.Load() {
				atomics.Gosched()
			}
			take(d.Pop())
			d.Push(4)
			for v := range d.Drain() {
				take(v, true)
			}
		})
		m.Thread(func() {
			for range 2 {
				v, r := d.Steal()
				take(v, r == lockfree.StealOK)
			}
		})
		m.After(func() {
			for v := range taken[1:] {
				m.Assert(taken[1+v].Load(), "element %d was lost", 1+v)
			}
			m.Assert(d.Empty(), "taken, and still there")
		})
	})
}

// An owner that pops until there is nothing and thieves that steal until there is nothing
// together take everything: only a thief that lost a race comes back, and nobody is told
// that the deque is empty while an element is left for him.
func testDequeEverythingIsTaken(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		d := lockfree.NewDequeOf[uint32](math.MaxUint64-2, 2)
		taken := make([]atomics.Bool, 3)
		take := func(v uint32) {
			m.Assert(taken[v].CompareAndSwap(false, true), "element %d was taken twice", v)
		}
		m.Thread(func() {
			d.PushAll([]uint32{0, 1})
			d.Push(2)
			for v := range d.Drain() {
				take(v)
			}
		})
		for range 2 {
			m.Thread(func() {
				for {
					v, r := d.Steal()
					if r == lockfree.StealEmpty {
						return
					}
					if r == lockfree.StealOK {
						take(v)
					}
				}
			})
		}
		m.After(func() {
			for v := range taken {
				m.Assert(taken[v].Load(), "element %d was lost", v)
			}
		})
	})
}
