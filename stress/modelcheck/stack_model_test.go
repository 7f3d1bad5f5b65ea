//go:build modelcheck

package modelcheck_test

import "github.com/heddle-go/heddle/stress/modelcheck/atomic" // was "sync/atomic"

// A Stack holds numbers, last in, first out.
type Stack struct{ top atomic.Pointer[node] }

type node struct {
	value int64
	next  *node
}

func (s *Stack) Push(v int64) {
	n := &node{value: v}
	for {
		n.next = s.top.Load()
		if s.top.CompareAndSwap(n.next, n) {
			return
		}
	}
}

func (s *Stack) Pop() (v int64, ok bool) {
	n := s.top.Load()
	if n == nil {
		return 0, false
	}
	s.top.Store(n.next)
	return n.value, true
}
