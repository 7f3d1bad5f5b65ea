//go:build modelcheck

package namedthread

import (
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// High work whose post has returned is taken before any normal work, of which some was fetched
// before.
func TestModelUrgent(t *testing.T) {
	const (
		posters = 2
		normals = 3
	)
	modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		b := new(inbox)
		b.init(sleepevent.ParkGo)
		for range normals {
			b.post(QueueMain, PriorityNormal, item{})
		}
		var posted [posters]atomics.Bool
		var taken [posters]bool
		for i := range posters {
			m.Thread(func() {
				b.post(QueueMain, PriorityHigh, item{token: uint64(i) + 1})
				posted[i].Store(true)
			})
		}
		m.Thread(func() {
			for range normals + posters {
				var there [posters]bool
				for i := range posted {
					there[i] = posted[i].Load() && !taken[i]
				}
				it, ok := b.take(QueueMain)
				if !ok {
					break
				}
				if it.token > 0 {
					m.Assert(!taken[it.token-1], "%d was taken twice", it.token)
					taken[it.token-1] = true
					continue
				}
				for i := range there {
					m.Assert(!there[i], "normal work was taken before %d", i+1)
				}
			}
		})
	})
}

// An owner that sleeps wakes for a post to either queue, of either priority.
func TestModelInboxWakes(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		b := new(inbox)
		b.init(sleepevent.ParkGo)
		for q := range Queue(queues) {
			m.Thread(func() {
				for p := range Priority(priorities) {
					b.post(q, p, item{})
				}
			})
		}
		m.Thread(func() {
			for left := queues * priorities; left > 0; {
				_, ok := b.take(QueueMain)
				if !ok {
					_, ok = b.take(QueueLocal)
				}
				if ok {
					left--
				} else if b.stall(bothQueues, &marks{}) {
					b.sleep()
					b.unstall()
				}
			}
		})
	})
}
