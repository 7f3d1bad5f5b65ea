//go:build modelcheck

package lockfree_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// What the model tests of the containers share. Each makes programs of all operations of a
// container. A call that counts as several is logged as those, over the same interval, and the
// spec holds them to their order; a call that takes effect in one step is an operation of the
// spec. Len is a guess where calls overlap and is not judged.

// Operations beside those of package history.
const (
	seqEmpty   = 100 + iota // OK: was empty; Fail: was not
	seqPushAll              // adds Arg and second(Arg) in one step
	seqPushN                // pending: a push of Arg and then one of second(Arg)
	seqPopN                 // pending: two pops
	seqStealN               // pending: three steals
)

// second returns the value that a call adds after v.
func second(v int64) int64 { return v + 16 }

// A sequence is the state of a container and of the calls that count as several.
type sequence struct {
	values history.Values
	// of each thread, how many single calls of the last such call have taken effect
	steps [modelcheck.MaxThreads + 1]uint8
}

// sequenced returns base with seqEmpty and seqPushAll and with calls that count as several: the
// numbers of their single calls, from 1 on, are the Arg of an OpPop or OpSteal and the Ret of an
// OpPush. exact says that also an seqEmpty that fails is to be believed.
func sequenced(base history.Spec[history.Values], exact bool) history.Spec[sequence] {
	return history.Spec[sequence]{
		Init: sequence{values: base.Init},
		Step: func(s sequence, c *history.Call) (sequence, bool) {
			ok := true
			switch c.Op {
			case seqEmpty:
				empty := s.values.Len() == 0
				return s, empty == (c.Status == history.OK) || !exact && c.Status != history.OK
			case seqPushAll:
				d := *c
				d.Op, d.Ret = history.OpPush, 0
				s.values, _ = base.Step(s.values, &d)
				d.Arg = second(c.Arg)
				s.values, ok = base.Step(s.values, &d)
				return s, ok
			}
			number := int64(0)
			switch c.Op {
			case history.OpPush:
				number = c.Ret
			case history.OpPop, history.OpSteal:
				number = c.Arg
			}
			if number > 0 {
				steps := &s.steps[c.Thread+1]
				if number > 1 && int64(*steps) != number-1 {
					return s, false
				}
				*steps = uint8(number)
			}
			s.values, ok = base.Step(s.values, c)
			return s, ok
		},
		Name: sequenceName,
	}
}

func sequenceName(c *history.Call) string {
	switch c.Op {
	case seqEmpty:
		return map[int32]string{history.OK: "Empty() = yes", history.Fail: "Empty() = no",
			history.Pending: "Empty() = ?"}[c.Status]
	case seqPushAll:
		return fmt.Sprintf("PushAll(%d, %d)", c.Arg, second(c.Arg))
	}
	return history.OpName(c)
}

// A sequenceJudge turns pending calls that count as several into those.
type sequenceJudge struct {
	modelcheck.Judge
	calls []history.Call
}

func newSequenceJudge(base history.Spec[history.Values], exact bool) func() modelcheck.Judge {
	return func() modelcheck.Judge {
		return &sequenceJudge{Judge: history.NewChecker(sequenced(base, exact))}
	}
}

func (j *sequenceJudge) Linearizable(calls []history.Call) bool {
	return j.Judge.Linearizable(j.single(calls))
}

func (j *sequenceJudge) Explain(calls []history.Call) string {
	return j.Judge.Explain(j.single(calls))
}

func (j *sequenceJudge) single(calls []history.Call) []history.Call {
	j.calls = j.calls[:0]
	for _, c := range calls {
		d := c
		switch c.Op {
		case seqStealN:
			c.Op = history.OpSteal
			for c.Arg = 1; c.Arg < 3; c.Arg++ {
				j.calls = append(j.calls, c)
			}
			d = c
		case seqPushN:
			c.Op, c.Ret = history.OpPush, 1
			d.Op, d.Arg, d.Ret = history.OpPush, second(c.Arg), 2
		case seqPopN:
			c.Op, c.Arg = history.OpPop, 1
			d.Op, d.Arg = history.OpPop, 2
		}
		j.calls = append(j.calls, c)
		if d.Op != c.Op || d.Arg != c.Arg || d.Ret != c.Ret {
			j.calls = append(j.calls, d)
		}
	}
	return j.calls
}

// result turns what a pop returned into what a history says.
func result(v int64, ok bool) (int64, int32) {
	if ok {
		return v, history.OK
	}
	return 0, history.Fail
}

// pushing returns the operation of a push that may fail.
func pushing[S any](name string, who modelcheck.Who, weight int,
	push func(s S, v int64) bool) modelcheck.Op[S] {
	return modelcheck.Op[S]{Name: name, Who: who, Weight: weight,
		Do: func(s S, l *modelcheck.Log, v int64) {
			l.Call(history.OpPush, v, func() (int64, int32) { return 0, status(push(s, v)) })
		}}
}

// pushingAll returns the operation of a push of two values in one step.
func pushingAll[S any](name string, who modelcheck.Who, weight int,
	push func(s S, vs []int64)) modelcheck.Op[S] {
	return modelcheck.Op[S]{Name: name, Who: who, Weight: weight,
		Do: func(s S, l *modelcheck.Log, v int64) {
			l.Call(seqPushAll, v, func() (int64, int32) {
				push(s, []int64{v, second(v)})
				return 0, history.OK
			})
		}}
}

// pushingN returns the operation of a push that counts as one of each of two values, up to the
// first that fails. push returns how many it added.
func pushingN[S any](name string, who modelcheck.Who, weight int,
	push func(s S, vs []int64) int) modelcheck.Op[S] {
	return modelcheck.Op[S]{Name: name, Who: who, Weight: weight,
		Do: func(s S, l *modelcheck.Log, v int64) {
			n := 0
			l.Call(seqPushN, v, func() (int64, int32) {
				n = push(s, []int64{v, second(v)})
				return 1, status(n > 0)
			})
			l.Last().Op = history.OpPush
			if n > 0 {
				l.Also(history.OpPush, second(v), 2, status(n > 1))
			}
		}}
}

// popping returns the operation of a pop.
func popping[S any](name string, who modelcheck.Who, weight int,
	pop func(s S) (int64, bool)) modelcheck.Op[S] {
	return modelcheck.Op[S]{Name: name, Who: who, Weight: weight,
		Do: func(s S, l *modelcheck.Log, _ int64) {
			l.Call(history.OpPop, 0, func() (int64, int32) { return result(pop(s)) })
		}}
}

// poppingN returns the operation of a pop that counts as one for each of two values, up to the
// first that fails. pop returns how many it took.
func poppingN[S any](name string, who modelcheck.Who, weight int,
	pop func(s S, buf []int64) int) modelcheck.Op[S] {
	return modelcheck.Op[S]{Name: name, Who: who, Weight: weight,
		Do: func(s S, l *modelcheck.Log, _ int64) {
			var buf [2]int64
			n := 0
			l.Call(seqPopN, 1, func() (int64, int32) {
				n = pop(s, buf[:])
				return result(buf[0], n > 0)
			})
			l.Last().Op = history.OpPop
			if n > 0 {
				v, st := result(buf[1], n > 1)
				l.Also(history.OpPop, 2, v, st)
			}
		}}
}

// first takes the first value of a Drain, and ends it.
func first(drain iter.Seq[int64]) (v int64, ok bool) {
	for v := range drain {
		return v, true
	}
	return 0, false
}

// draining returns the operation that begins a Drain twice, and takes a value of each.
func draining[S any](who modelcheck.Who, weight int,
	drain func(s S) iter.Seq[int64]) modelcheck.Op[S] {
	return modelcheck.Op[S]{Name: "Drain", Who: who, Weight: weight,
		Do: func(s S, l *modelcheck.Log, _ int64) {
			for range 2 {
				l.Call(history.OpPop, 0, func() (int64, int32) { return result(first(drain(s))) })
			}
		}}
}

// asking returns the operation of Empty.
func asking[S any](who modelcheck.Who, weight int, empty func(s S) bool) modelcheck.Op[S] {
	return modelcheck.Op[S]{Name: "Empty", Who: who, Weight: weight,
		Do: func(s S, l *modelcheck.Log, _ int64) {
			l.Call(seqEmpty, 0, func() (int64, int32) { return 0, status(empty(s)) })
		}}
}

// drained returns the end of an execution: values are drained until there are none.
func drained[S any](drain func(s S) iter.Seq[int64]) func(s S, l *modelcheck.Log) {
	return func(s S, l *modelcheck.Log) {
		ok := true
		for n := 0; ok && n < 30; n++ { // a wrong container may never be empty
			l.Call(history.OpPop, 0, func() (v int64, st int32) {
				v, ok = first(drain(s))
				return result(v, ok)
			})
		}
	}
}

// A solo is a container of which one thread may call some operations at a time.
type solo[Q any] struct {
	q    Q
	busy bool // one is under way; it stays so if its caller is suspended for ever
}

// exclusively returns an operation of a container as one that nobody else may call meanwhile.
func exclusively[Q any](op modelcheck.Op[Q]) modelcheck.Op[*solo[Q]] {
	return modelcheck.Op[*solo[Q]]{Name: op.Name, Who: op.Who, Weight: op.Weight,
		Do: func(s *solo[Q], l *modelcheck.Log, v int64) {
			s.busy = true
			op.Do(s.q, l, v)
			s.busy = false
		}}
}

// freely returns an operation of a container as one of a solo.
func freely[Q any](op modelcheck.Op[Q]) modelcheck.Op[*solo[Q]] {
	return modelcheck.Op[*solo[Q]]{Name: op.Name, Who: op.Who, Weight: op.Weight,
		Do: func(s *solo[Q], l *modelcheck.Log, v int64) {
			op.Do(s.q, l, v)
		}}
}

// unlessBusy is an end of an execution that leaves a busy container alone.
func unlessBusy[Q any](drain func(q Q, l *modelcheck.Log)) func(s *solo[Q], l *modelcheck.Log) {
	return func(s *solo[Q], l *modelcheck.Log) {
		if !s.busy {
			drain(s.q, l)
		}
	}
}

// A variant is a way to set up a container.
type variant[S any] struct {
	name string
	make func() S
}

// eachVariant checks a structure in each variant, which share what there is to explore.
func eachVariant[S any](t *testing.T, s modelcheck.Structure[S], variants ...variant[S]) {
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			s.New = v.make
			modelcheck.Programs(t, s, modelcheck.Share(len(variants)), modelcheck.Options{})
		})
	}
}

// eachProgram checks chosen programs, for orders of steps that programs made at random come to
// too seldom. A program is the names of operations that log one call each: those of the set-up,
// and then, each after a bar, those of each thread: "Push1 | Pop | Pop | Push0".
func eachProgram[S any](t *testing.T, s modelcheck.Structure[S], programs ...string) {
	for _, text := range programs {
		t.Run(text, func(t *testing.T) {
			var threads [][]modelcheck.Op[S]
			for part := range strings.SplitSeq(text, "|") {
				var ops []modelcheck.Op[S]
				for name := range strings.FieldsSeq(part) {
					i := slices.IndexFunc(s.Ops, func(op modelcheck.Op[S]) bool {
						return op.Name == name
					})
					require.GreaterOrEqual(t, i, 0, "operation %s", name)
					ops = append(ops, s.Ops[i])
				}
				threads = append(threads, ops)
			}
			judge := s.Judge()
			modelcheck.Check(t,
				modelcheck.Options{Explorers: modelcheck.Portfolio(modelcheck.Scaled(60_000) / 6)},
				func(m *modelcheck.Model) {
					x := s.New()
					calls := make([][]history.Call, len(threads)+1)
					play := func(i int, from int64, ops []modelcheck.Op[S]) {
						var l modelcheck.Log
						for k, op := range ops {
							op.Do(x, &l, from+int64(k))
							c := *l.Last()
							c.Thread = int32(i)
							calls[i] = append(calls[i], c)
						}
					}
					var value int64 = 1
					play(0, value, threads[0])
					for i := range calls[0] {
						calls[0][i].Begin, calls[0][i].End = int64(i)-1000, int64(i)-1000
					}
					for i, ops := range threads[1:] {
						value += int64(len(threads[i]))
						from := value
						m.Thread(func() { play(1+i, from, ops) })
					}
					m.After(func() {
						all := slices.Concat(calls...)
						if !judge.Linearizable(all) {
							m.Assert(false, "%s", judge.Explain(all))
						}
					})
				})
		})
	}
}
