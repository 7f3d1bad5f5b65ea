//go:build modelcheck

package trie_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/assets/internal/trie"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// The keys of the programs: 1 and 2 have one hash, 3 another that begins alike, 4 a third.
func hash(k int64) uint64 { return []uint64{0, 5, 5, 5 | 1<<8, 9}[k] }

const keys = 4

type intMap = *trie.Map[int64, int64]

// Operations: the argument is what is compared with, a key and a value, (old*16+key)*16+value;
// results are values, 0 for nothing.
const (
	opLoad = 200 + iota
	opStore
	opLoadOrStore // Fail: there was one, which is returned
	opDelete
	opSwap // Fail: old was not there
	opCompareAndDelete
)

// spec is a map of four keys.
func spec() history.Spec[[keys + 1]int64] {
	return history.Spec[[keys + 1]int64]{
		Step: func(s [keys + 1]int64, c *history.Call) ([keys + 1]int64, bool) {
			old, k, v := c.Arg/256, c.Arg/16%16, c.Arg%16
			was, ok, open := s[k], c.Status == history.OK, c.Status == history.Pending
			switch c.Op {
			case opLoad:
				return s, open || c.Ret == was
			case opStore:
				s[k] = v
				return s, open || c.Ret == was
			case opLoadOrStore:
				if was != 0 {
					return s, open || !ok && c.Ret == was
				}
				s[k] = v
				return s, open || ok && c.Ret == v
			case opDelete:
				s[k] = 0
				return s, open || c.Ret == was
			case opSwap, opCompareAndDelete:
				if was != old || was == 0 {
					return s, open || !ok
				}
				s[k] = v
				if c.Op == opCompareAndDelete {
					s[k] = 0
				}
				return s, open || ok
			}
			return s, false
		},
	}
}

// TestModelMap holds programs of all operations against a sequential map.
func TestModelMap(t *testing.T) {
	values := make([]*int64, 16)
	for i := range values {
		values[i] = new(int64(i))
	}
	number := func(v *int64) int64 {
		if v == nil {
			return 0
		}
		return *v
	}
	op := func(name string, id int32,
		f func(m intMap, old, k, v int64) (int64, int32)) modelcheck.Op[intMap] {
		return modelcheck.Op[intMap]{Name: name,
			Do: func(m intMap, l *modelcheck.Log, value int64) {
				// of another call on the same key, perhaps
				k, old := value%keys+1, max(value-keys, 1)
				l.Call(id, (old*16+k)*16+value,
					func() (int64, int32) { return f(m, old, k, value) })
			}}
	}
	status := func(ok bool) int32 {
		if ok {
			return history.OK
		}
		return history.Fail
	}
	modelcheck.Programs(t, modelcheck.Structure[intMap]{
		Name: "Map",
		New:  func() intMap { return trie.NewHash[int64, int64](hash) },
		Ops: []modelcheck.Op[intMap]{
			op("Load", opLoad, func(m intMap, _, k, _ int64) (int64, int32) {
				return number(m.Load(k)), history.OK
			}),
			op("Store", opStore, func(m intMap, _, k, v int64) (int64, int32) {
				return number(m.Store(k, values[v])), history.OK
			}),
			op("LoadOrStore", opLoadOrStore, func(m intMap, _, k, v int64) (int64, int32) {
				got, loaded := m.LoadOrStore(k, values[v])
				return number(got), status(!loaded)
			}),
			op("Delete", opDelete, func(m intMap, _, k, _ int64) (int64, int32) {
				return number(m.Delete(k)), history.OK
			}),
			op("CompareAndSwap", opSwap, func(m intMap, old, k, v int64) (int64, int32) {
				return 0, status(m.CompareAndSwap(k, values[old], values[v]))
			}),
			op("CompareAndDelete", opCompareAndDelete, func(m intMap, old, k, _ int64) (int64,
				int32) {
				return 0, status(m.CompareAndDelete(k, values[old]))
			}),
		},
		Judge: func() modelcheck.Judge { return history.NewChecker(spec()) },
		Drain: func(m intMap, l *modelcheck.Log) {
			for k := int64(1); k <= keys; k++ {
				l.Call(opLoad, k*16, func() (int64, int32) { return number(m.Load(k)), history.OK })
			}
		},
		CallName: func(c *history.Call) string {
			return fmt.Sprintf("op %d of %d, %d for %d: %d, %v", c.Op, c.Arg/16%16, c.Arg%16,
				c.Arg/256, c.Ret, c.Status)
		},
		LockFree: true,
	}, modelcheck.Budget{}, modelcheck.Options{})
}
