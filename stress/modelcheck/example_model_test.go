//go:build modelcheck

package modelcheck_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

func modelPops(t testing.TB) {
	modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		s := new(Stack)
		s.Push(1)
		s.Push(2)
		var a, b int64
		m.Thread(func() { a, _ = s.Pop() })
		m.Thread(func() { b, _ = s.Pop() })
		m.After(func() { m.Assert(a != b, "both popped %d", a) })
	})
}

func ExampleExplore() {
	_, err := modelcheck.Explore(modelcheck.Options{}, func(m *modelcheck.Model) {
		s := new(Stack)
		s.Push(1)
		s.Push(2)
		var a, b int64
		m.Thread(func() { a, _ = s.Pop() })
		m.Thread(func() { b, _ = s.Pop() })
		m.After(func() { m.Assert(a != b, "both popped %d", a) })
	})
	var f *modelcheck.Failure
	if errors.As(err, &f) {
		fmt.Println(f.Kind, "in execution", f.Execution)
		fmt.Println(f.Text)
		fmt.Println("schedule", f.Schedule)
		fmt.Print(f.Trace)
	}
	// Output:
	// assertion in execution 4
	// both popped 2
	// schedule A1B2A1
	// step  thread  operation                        word  value     source
	//    1  A       s.top.Load() = p1                   1            stack_model_test.go:26
	//       A       -- preempted before s.top.Store     1            stack_model_test.go:30
	//    2    B     s.top.Load() = p1                   1            stack_model_test.go:26
	//    3    B     s.top.Store(p2)                     1  p1 -> p2  stack_model_test.go:30
	//         B     -- ends
	//    4  A       s.top.Store(p2)                     1  p2 -> p2  stack_model_test.go:30
	//       A       -- ends
	//               -- fails: both popped 2  example_model_test.go:34
}

// A FixedStack is a Stack whose Pop takes what it has seen, or looks again.
type FixedStack struct{ Stack }

func (s *FixedStack) Pop() (v int64, ok bool) {
	for {
		n := s.top.Load()
		if n == nil {
			return 0, false
		}
		if s.top.CompareAndSwap(n, n.next) {
			return n.value, true
		}
	}
}

func TestModelExample(t *testing.T) {
	push := modelcheck.Op[*FixedStack]{Name: "Push",
		Do: func(s *FixedStack, l *modelcheck.Log, value int64) {
			l.Call(history.OpPush, value, func() (int64, int32) {
				s.Push(value)
				return 0, history.OK
			})
		}}
	pop := modelcheck.Op[*FixedStack]{Name: "Pop",
		Do: func(s *FixedStack, l *modelcheck.Log, _ int64) {
			l.Call(history.OpPop, 0, func() (int64, int32) {
				if v, ok := s.Pop(); ok {
					return v, history.OK
				}
				return 0, history.Fail
			})
		}}
	modelcheck.Programs(t, modelcheck.Structure[*FixedStack]{
		Name:     "FixedStack",
		New:      func() *FixedStack { return new(FixedStack) },
		Ops:      []modelcheck.Op[*FixedStack]{push, pop},
		Judge:    func() modelcheck.Judge { return history.NewChecker(history.LIFO()) },
		LockFree: true,
	}, modelcheck.Budget{}, modelcheck.Options{})
}
