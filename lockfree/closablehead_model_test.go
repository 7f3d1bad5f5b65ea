//go:build modelcheck

package lockfree_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// Operations of a ClosableHead beside OpPush and OpClose. The Arg of each is a generation,
// counted from the first one; that of an OpPush is 32 times that, plus the element.
const (
	// takes Ret, a Pack, and opens the next generation; Fail: was closed
	headNext       = 200 + iota
	headOpen       // OK: is open; Fail: is not
	headGeneration // Ret is the generation
	// takes Ret, a Pack, and makes Arg>>1 the generation, open if Arg is odd
	headSwap
)

// A generationState is the state of a ClosableHead.
type generationState struct {
	list   history.Closable
	number int64 // the generation
}

func generationSpec() history.Spec[generationState] {
	return history.Spec[generationState]{
		Step: func(s generationState, c *history.Call) (generationState, bool) {
			gen := c.Arg
			if c.Op == history.OpPush {
				gen >>= 5
			}
			present := gen == s.number && !s.list.Closed
			switch c.Op {
			case headGeneration:
				return s, c.Status == history.Pending || c.Ret == s.number
			case headOpen:
				return s, c.Status == history.Pending || present == (c.Status == history.OK)
			case headSwap:
				ok := c.Status == history.Pending || s.list.Values.Pack(false) == c.Ret
				return generationState{number: c.Arg >> 1,
					list: history.Closable{Closed: c.Arg&1 == 0}}, ok
			}
			if !present || c.Status == history.Fail {
				return s, !present && c.Status == history.Fail
			}
			if c.Op == history.OpPush {
				s.list.Values.Push(c.Arg & 31)
				return s, true
			}
			ok := c.Status == history.Pending || s.list.Values.Pack(false) == c.Ret
			s.list = history.Closable{Closed: c.Op == history.OpClose}
			if c.Op == headNext {
				s.number++
			}
			return s, ok
		},
		Name: func(c *history.Call) string {
			answer := map[int32]string{history.OK: "yes", history.Fail: "no",
				history.Pending: "?"}[c.Status]
			switch c.Op {
			case history.OpPush:
				return fmt.Sprintf("TryPush(gen %d, %d) = %s", c.Arg>>5, c.Arg&31, answer)
			case headOpen:
				return fmt.Sprintf("Open(gen %d) = %s", c.Arg, answer)
			case headGeneration:
				return fmt.Sprintf("State() = gen %d", c.Ret)
			case headSwap:
				return fmt.Sprintf("Swap(gen %d, %t) = %s", c.Arg>>1, c.Arg&1 != 0,
					history.PackName(c.Ret))
			}
			if c.Status == history.OK {
				answer = history.PackName(c.Ret)
			}
			return fmt.Sprintf("%s(gen %d) = %s",
				map[int32]string{history.OpClose: "Close", headNext: "Next"}[c.Op], c.Arg, answer)
		},
	}
}

// A headModel is a ClosableHead with its elements: the link of element v is base + v.
type headModel struct {
	h     lockfree.ClosableHead
	first uint32 // the first generation
	base  uint32
	gen   int64      // the present one, where one goroutine alone ends them
	next  [32]uint32 // by the value of a push
}

func newHeadModel(first, base uint32) *headModel {
	s := &headModel{first: first, base: base}
	s.h.Swap(first, true)
	return s
}

func (s *headModel) push(l *modelcheck.Log, gen int64, v int64) {
	l.Call(history.OpPush, gen<<5|v, func() (int64, int32) {
		return 0, status(s.h.TryPush(s.first+uint32(gen), s.base+uint32(v), &s.next[v]))
	})
}

// swap ends the present generation, and begins the next, or one more like it.
func (s *headModel) swap(l *modelcheck.Log, by int64, open bool) {
	s.gen += by
	arg := s.gen << 1
	if open {
		arg++
	}
	l.Call(headSwap, arg, func() (int64, int32) {
		return s.values(s.h.Swap(s.first+uint32(s.gen), open)), history.OK
	})
}

// values walks through a list.
func (s *headModel) values(list uint32) int64 {
	var values []int64
	// a wrong list may go round
	for ; list != 0 && len(values) <= len(s.next); list = s.next[list-s.base] {
		values = append(values, int64(list-s.base))
	}
	slices.Reverse(values)
	return history.Pack(values...)
}

// close closes a generation, or goes on to the next, and walks through what it took.
func (s *headModel) close(l *modelcheck.Log, op int32, gen int64) (ok bool) {
	l.Call(op, gen, func() (int64, int32) {
		var list uint32
		if op == headNext {
			list, ok = s.h.Next(s.first + uint32(gen))
		} else {
			list, ok = s.h.Close(s.first + uint32(gen))
		}
		return s.values(list), status(ok)
	})
	return ok
}

func TestModelClosableHead(t *testing.T) {
	type op = modelcheck.Op[*headModel]
	var shared, many []op
	for gen := range int64(2) {
		shared = append(shared,
			op{Name: fmt.Sprintf("TryPush@%d", gen), Weight: int(6 - 3*gen),
				Do: func(s *headModel, l *modelcheck.Log, v int64) { s.push(l, gen, v) }},
			op{Name: fmt.Sprintf("Open@%d", gen),
				Do: func(s *headModel, l *modelcheck.Log, _ int64) {
					l.Call(headOpen, gen, func() (int64, int32) {
						return 0, status(s.h.Open(s.first + uint32(gen)))
					})
				}},
		)
		many = append(many,
			op{Name: fmt.Sprintf("Next@%d", gen), Weight: int(3 - gen),
				Do: func(s *headModel, l *modelcheck.Log, _ int64) { s.close(l, headNext, gen) }},
			op{Name: fmt.Sprintf("Close@%d", gen),
				Do: func(s *headModel, l *modelcheck.Log, _ int64) {
					s.close(l, history.OpClose, gen)
				}},
		)
	}
	shared = append(shared, op{Name: "State", Do: func(s *headModel, l *modelcheck.Log, _ int64) {
		l.Call(headGeneration, 0, func() (int64, int32) {
			gen, _ := s.h.State()
			return int64(gen - s.first), history.OK
		})
	}})
	one := []op{
		{Name: "Swap", Who: modelcheck.First, Weight: 3,
			Do: func(s *headModel, l *modelcheck.Log, _ int64) { s.swap(l, 1, true) }},
		{Name: "Swap to the same", Who: modelcheck.First, Weight: 2,
			Do: func(s *headModel, l *modelcheck.Log, _ int64) { s.swap(l, 0, false) }},
	}
	drain := func(s *headModel, l *modelcheck.Log) {
		for gen := range int64(3) {
			s.close(l, history.OpClose, gen)
		}
	}
	for name, ops := range map[string][]op{"many close": append(many, shared...),
		"one closes": append(one, shared...)} {
		t.Run(name, func(t *testing.T) {
			eachVariant(t, modelcheck.Structure[*headModel]{
				Name:     "ClosableHead",
				Ops:      ops,
				Judge:    func() modelcheck.Judge { return history.NewChecker(generationSpec()) },
				Drain:    drain,
				LockFree: true,
			},
				variant[*headModel]{"new", func() *headModel { return newHeadModel(0, 0) }},
				// The generation is about to wrap, and links are the largest.
				variant[*headModel]{"wrap", func() *headModel {
					return newHeadModel(math.MaxUint32, lockfree.MaxLink-31)
				}},
			)
		})
	}
}
