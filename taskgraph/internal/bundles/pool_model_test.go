//go:build modelcheck

package bundles_test

import (
	"sync"
	"testing"

	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/bundles"
)

// TestModelParcels: nobody gets a parcel that another has, and what it was before does not come
// back to who has got it.
func TestModelParcels(t *testing.T) {
	modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
		var pool bundles.Pool[int, int]
		var owners [2]int
		var mu sync.Mutex // for the race detector; it is never waited for
		used := map[*bundles.Parcel[int, int]]bool{}
		uses := func(p *bundles.Parcel[int, int], is bool) (was bool) {
			mu.Lock()
			defer mu.Unlock()
			was = used[p]
			used[p] = is
			return was
		}
		for i := range owners {
			m.Thread(func() {
				for range 2 {
					p := pool.IdleParcel()
					m.Assert(!uses(p, true), "parcel %d has two users", p.Number())
					m.Assert(pool.ParcelAt(p.Number()) == p, "number %d is another's", p.Number())
					p.Open(&owners[i], 1, 1)
					m.Assert(p.Of() == &owners[i], "a parcel has lost its owner")
					places, _ := p.Close(nil)
					m.Assert(len(places) == 1 && p.Leave(1), "a parcel is not empty")
					uses(p, false)
					pool.FreeParcel(p)
				}
			})
		}
	})
}

// TestModelRunOut: where none is left, those who ask at the same time change nothing.
func TestModelRunOut(t *testing.T) {
	modelcheck.CheckAll(t, func(m *modelcheck.Model) {
		var pool bundles.Pool[int, int]
		pool.LeaveParcels(0)
		pool.LeaveBundles(0, false)
		parcels, made := pool.ParcelsMade(), pool.BundlesMade()
		var owner int
		for range 2 {
			m.Thread(func() {
				m.Assert(pool.IdleParcel() == nil, "there is one parcel too many")
				defer func() { m.Assert(recover() != nil, "there is one bundle too many") }()
				pool.Lone(&owner, 1, 1, false)
			})
		}
		m.After(func() {
			m.Assert(pool.ParcelsMade() == parcels, "parcels would come round")
			m.Assert(pool.BundlesMade() == made, "bundles would come round")
		})
	})
}

// TestModelWaitFor: who waits for more pauses as long as that brings as many as pay, and has
// learned in the end that it has not.
func TestModelWaitFor(t *testing.T) {
	modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
		var p bundles.Parcel[int, int]
		var owner int
		p.Open(&owner, 0, 0)
		m.Thread(func() {
			for i := range 5 {
				p.Put(&owner, i, 0)
			}
		})
		m.Thread(func() {
			var c cacheline.Courtesy
			p.WaitFor(&c)
			m.Assert(!c.Due(), "the last pause has paid, and none followed")
		})
	})
}

// TestModelGiveBack: what others give back at the same time, while home takes back, comes home,
// each bundle once.
func TestModelGiveBack(t *testing.T) {
	modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
		var pool bundles.Pool[int, int]
		var homes [3]bundles.Bundles[int, int]
		for i := range homes {
			homes[i].Use(&pool)
		}
		var owner int
		home := &homes[0]
		for i := range 2 {
			x, thief := home.Open(&owner, i, 0), &homes[1+i]
			m.Thread(func() {
				v, _, rest, more, _ := thief.Take(x, nil, nil)
				m.Assert(v == i && len(rest) == 0 && !more, "bundle %d has %d", i, v)
			})
		}
		m.Thread(home.TakeBack)
		m.After(func() {
			made, seen := pool.BundlesMade(), map[uint32]bool{}
			for range made {
				x := home.Open(&owner, 7, 0)
				m.Assert(!seen[x.Number()], "bundle %d comes home twice", x.Number())
				seen[x.Number()] = true
			}
			m.Assert(pool.BundlesMade() == made, "a bundle has not come home")
		})
	})
}

// TestModelLone: a bundle of nobody's that nobody queued is empty before another uses it.
func TestModelLone(t *testing.T) {
	modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
		var pool bundles.Pool[int, int]
		var owners [2]int
		pool.DropLone(pool.Lone(&owners[0], 0, 0, false).Number()) // they are made
		for i := range owners {
			m.Thread(func() {
				var slot bundles.Bundles[int, int]
				slot.Use(&pool)
				pool.DropLone(pool.Lone(&owners[i], 1, 0, false).Number())
				x := pool.Lone(&owners[i], 2+i, 0, false)
				m.Assert(x.Of() == &owners[i], "a bundle has lost its owner")
				v, _, rest, more, _ := slot.Take(x, nil, nil)
				m.Assert(v == 2+i && len(rest) == 0 && !more, "user %d has got %d", i, v)
			})
		}
	})
}
