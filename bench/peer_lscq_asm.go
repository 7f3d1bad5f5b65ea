//go:build amd64 || arm64

package main

import (
	"runtime"

	"github.com/bytedance/gopkg/collection/lscq"
)

// lscq adds the row of lscq, the queue of gopkg.
func (w *workload) lscq(c crowd) { w.piped("lscq", c, lscqPipe) }

func lscqPipe() pipe {
	q := lscq.NewUint64()
	return pipe{
		same: func(n int) (sum uint64) {
			for i := range uint64(n) {
				q.Enqueue(i)
				v, _ := q.Dequeue()
				sum += v
			}
			return sum
		},
		produce: func(from, n int) {
			for i := range uint64(n) {
				q.Enqueue(uint64(from) + i)
			}
		},
		consume: func(n int) (sum uint64) {
			for range n {
				v, ok := q.Dequeue()
				for !ok {
					runtime.Gosched()
					v, ok = q.Dequeue()
				}
				sum += v
			}
			return sum
		},
	}
}
