//go:build modelcheck

package lockfree_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// A stallingModel is a StallingQueue whose consumers are the threads, and one more the set-up
// and the end. A consumer that stalled takes its registration back before it pops again.
type stallingModel struct {
	q       *lockfree.StallingQueue[int64]
	stalled [modelConsumers]bool
}

const modelConsumers = modelcheck.MaxThreads + 1

func (s *stallingModel) pop(l *modelcheck.Log, mayStall bool) (more bool) {
	me := l.Thread() + 1
	if s.stalled[me] {
		s.stalled[me] = false
		l.Call(history.OpUnstall, int64(me), func() (int64, int32) { return 0, status(s.q.Unstall(me)) })
		return true
	}
	var r lockfree.PopResult
	l.Call(history.OpPop, 0, func() (v int64, st int32) {
		v, r = s.q.Pop(me, mayStall)
		return result(v, r == lockfree.PopOK)
	})
	if r == lockfree.PopStalled {
		s.stalled[me] = true
		c := l.Last()
		c.Op, c.Arg, c.Status = history.OpStall, int64(me), history.OK
	}
	return r == lockfree.PopOK
}

func testStallingPrograms(t *testing.T) {
	ops := []modelcheck.Op[*stallingModel]{
		{Name: "Pop", Weight: 3, Do: func(s *stallingModel, l *modelcheck.Log, _ int64) { s.pop(l, false) }},
		{Name: "PopOrStall", Weight: 6, Do: func(s *stallingModel, l *modelcheck.Log, _ int64) { s.pop(l, true) }},
		{Name: "Wake", Weight: 2, Do: func(s *stallingModel, l *modelcheck.Log, _ int64) {
			l.Call(history.OpWake, 0, func() (int64, int32) { return int64(s.q.Wake()), history.OK })
		}},
	}
	for level := range levelsUsed {
		ops = append(ops, modelcheck.Op[*stallingModel]{Name: fmt.Sprintf("Push%d", level), Weight: 2, Do: func(s *stallingModel, l *modelcheck.Log, v int64) {
			v = history.Leveled(v, level)
			wake := 0
			l.Call(history.OpPush, v, func() (int64, int32) { wake = s.q.Push(v, level); return 0, history.OK })
			l.Also(history.OpChoose, v, int64(wake), history.OK)
		}})
	}
	eachVariant(t, modelcheck.Structure[*stallingModel]{
		Name:  "StallingQueue",
		Ops:   ops,
		Judge: func() modelcheck.Judge { return history.NewLevelChecker(history.StallingQueue(), levelsUsed) },
		Drain: func(s *stallingModel, l *modelcheck.Log) {
			for n := 0; n < 30 && s.pop(l, false); n++ {
			}
		},
		Composite: true,
		LockFree:  true,
	},
		variant[*stallingModel]{"new", func() *stallingModel {
			return &stallingModel{q: lockfree.NewStallingQueue[int64](levelsUsed, modelConsumers)}
		}},
		// The count of pushes and stalls and the positions are about to wrap.
		variant[*stallingModel]{"segments of 1", func() *stallingModel {
			return &stallingModel{q: lockfree.NewStallingQueueAt[int64](levelsUsed, modelConsumers, lockfree.CountLimit-2, math.MaxUint64-1, 1)}
		}},
		variant[*stallingModel]{"segments of 2", func() *stallingModel {
			return &stallingModel{q: lockfree.NewStallingQueueAt[int64](levelsUsed, modelConsumers, lockfree.CountLimit-1, 0, 2)}
		}},
	)
}

// Pops that find nothing while each level is empty at some moment, and never all at once.
func testStallingEmpty(t *testing.T) {
	type queue = *lockfree.StallingQueue[int64]
	push := func(level int) modelcheck.Op[queue] {
		return modelcheck.Op[queue]{Name: fmt.Sprintf("Push%d", level), Do: func(q queue, l *modelcheck.Log, v int64) {
			v = history.Leveled(v, level)
			l.Call(history.OpPush, v, func() (int64, int32) { q.Push(v, level); return 0, history.OK })
		}}
	}
	pop := func(me int) modelcheck.Op[queue] {
		return popping(fmt.Sprintf("PopBy%d", me), modelcheck.Anyone, 1, func(q queue) (int64, bool) {
			v, r := q.Pop(me, false)
			return v, r == lockfree.PopOK
		})
	}
	eachProgram(t, modelcheck.Structure[queue]{
		Name: "StallingQueue",
		New: func() queue {
			return lockfree.NewStallingQueueAt[int64](levelsUsed, 3, lockfree.CountLimit-2, 0, 2)
		},
		Ops:   []modelcheck.Op[queue]{push(0), push(1), pop(0), pop(1), pop(2)},
		Judge: func() modelcheck.Judge { return history.NewLevelChecker(history.Levels(), levelsUsed) },
	}, "Push0 | PopBy1 | Push1 PopBy2", "Push1 | PopBy1 | PopBy2 | Push0", "Push0 PopBy0 Push1 | PopBy1 | PopBy2 | Push0", "Push1 | PopBy1 PopBy1 | PopBy2 | Push0")
}

// sleepers are consumers that sleep when they have stalled.
type sleepers struct {
	m       *modelcheck.Model
	q       *lockfree.StallingQueue[int]
	parkers []park.Parker
	taken   []atomics.Bool // of each value
}

func newSleepers(m *modelcheck.Model, consumers, values int) *sleepers {
	return &sleepers{
		m:       m,
		q:       lockfree.NewStallingQueueAt[int](2, consumers, lockfree.CountLimit-1, 0, 2),
		parkers: make([]park.Parker, consumers),
		taken:   make([]atomics.Bool, values),
	}
}

// push adds a value and wakes whom it must.
func (s *sleepers) push(v, priority int) { s.wake(s.q.Push(v, priority)) }

func (s *sleepers) wake(consumer int) {
	if consumer >= 0 {
		s.parkers[consumer].Unpark()
	}
}

func (s *sleepers) take(v int) {
	s.m.Assert(s.taken[v].CompareAndSwap(false, true), "value %d was popped twice", v)
}

// consume takes n values, sleeping while there are none.
func (s *sleepers) consume(me, n int) {
	for n > 0 {
		v, r := s.q.Pop(me, true)
		if r == lockfree.PopOK {
			s.take(v)
			n--
			continue
		}
		s.m.Assert(r == lockfree.PopStalled, "a Pop that may stall returned %v", r)
		s.parkers[me].Park()
	}
}

// end is called when all threads are done.
func (s *sleepers) end() {
	for v := range s.taken {
		s.m.Assert(s.taken[v].Load(), "value %d was lost", v)
	}
	s.m.Assert(s.q.Stalled() == 0, "consumers %b are registered, and nobody sleeps", s.q.Stalled())
}

// Consumers that take as many values as are pushed all come to their end: else one sleeps
// though a value is there.
func testStallingSleepers(t *testing.T) {
	for _, c := range []struct {
		name     string
		pushes   []int // of each producer
		quotas   []int // of each consumer
		executes int
	}{
		{"1 producer, 1 consumer", []int{2}, []int{2}, 20_000},
		{"2 producers, 1 consumer", []int{1, 1}, []int{2}, 20_000},
		{"1 producer, 2 consumers", []int{2}, []int{1, 1}, 20_000},
		{"1 producer, 2 consumers, 3 values", []int{3}, []int{2, 1}, 20_000},
		{"2 producers, 2 consumers", []int{1, 1}, []int{1, 1}, 30_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{Explorers: modelcheck.Portfolio(c.executes)}, func(m *modelcheck.Model) {
				values := 0
				for _, n := range c.pushes {
					values += n
				}
				s := newSleepers(m, len(c.quotas), values)
				for me, n := range c.quotas {
					m.Thread(func() { s.consume(me, n) })
				}
				value := 0
				for _, n := range c.pushes {
					from := value
					value += n
					m.Thread(func() {
						for i := range n {
							s.push(from+i, (from+i)%2)
						}
					})
				}
				m.After(s.end)
			})
		})
	}
}

// A consumer that leaves its sleep at a time limit takes its registration back; if it was woken
// it passes the wake on or looks for values itself. So the other one, which has no limit, is
// not left asleep beside a value.
func testStallingTimeouts(t *testing.T) {
	for _, c := range []struct {
		name   string
		timers modelcheck.Timers
	}{{"early", modelcheck.TimersEarly}, {"on time", modelcheck.TimersOnTime}} {
		for _, producers := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s, %d producers", c.name, producers), func(t *testing.T) {
				modelcheck.Check(t, modelcheck.Options{Timers: c.timers}, func(m *modelcheck.Model) {
					s := newSleepers(m, 2, producers)
					var left atomics.Int32
					left.Store(int32(producers))
					m.Thread(func() { s.consumeWithLimit(0, &left) })
					m.Thread(func() {
						for left.Load() > 0 {
							v, r := s.q.Pop(1, true)
							if r != lockfree.PopOK {
								s.parkers[1].Park()
								s.q.Unstall(1) // who took the last value may have woken it
								continue
							}
							s.take(v)
							left.Add(-1)
						}
					})
					for v := range producers {
						m.Thread(func() { s.push(v, v) })
					}
					m.After(s.end)
				})
			})
		}
	}
}

// consumeWithLimit takes values until it finds none within a time limit.
func (s *sleepers) consumeWithLimit(me int, left *atomics.Int32) {
	for {
		v, r := s.q.Pop(me, true)
		if r == lockfree.PopOK {
			s.take(v)
			if left.Add(-1) == 0 {
				s.parkers[1-me].Unpark()
				return
			}
			continue
		}
		if s.parkers[me].ParkTimeout(10) {
			continue
		}
		if s.q.Unstall(me) {
			if modelcheck.Choose(2) == 0 {
				s.wake(s.q.Wake())
				return
			}
			for {
				v, r := s.q.Pop(me, false)
				if r != lockfree.PopOK {
					return
				}
				s.take(v)
				if left.Add(-1) == 0 {
					s.parkers[1-me].Unpark()
				}
			}
		}
		return
	}
}

func TestModelStallingQueue(t *testing.T) {
	t.Run("programs", testStallingPrograms)
	t.Run("empty", testStallingEmpty)
	t.Run("sleepers", testStallingSleepers)
	t.Run("timeouts", testStallingTimeouts)
}
