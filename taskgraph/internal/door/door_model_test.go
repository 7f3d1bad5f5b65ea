//go:build modelcheck

package door_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/door"
)

// A porch is a door where nobody is active, with one who waits until all is over.
type porch struct {
	d     door.Door
	a     door.Activity
	quiet *park.Parker
	over  bool
}

func newPorch() *porch {
	p := &porch{quiet: park.New(park.OS)}
	p.d.Init(p.quiet)
	return p
}

// leave is what the kernel does when a slot becomes idle.
func (p *porch) leave() {
	if p.a.Leave() {
		p.d.Tell()
	}
}

// shutDown is what Shutdown does.
func (p *porch) shutDown() {
	p.d.Close()
	for !p.d.Over(&p.a) {
		p.quiet.Park()
	}
	p.over = true
}

// TestModelDoor: whoever enters is waited for, with what he launches; the others are refused. He
// who waits is told when it is time to look again: nobody looks by himself.
func TestModelDoor(t *testing.T) {
	for _, c := range []struct {
		launchers int
		same      bool // in one shard
		child     bool // the first launches another one, which somebody else runs
		bound     int
	}{
		{1, false, false, 4},
		{1, false, true, 2},
		{2, true, false, 3},
		{2, false, false, 3},
		{2, false, true, 1},
		{3, false, false, 2},
	} {
		t.Run(fmt.Sprintf("%d launchers, same shard %v, child %v", c.launchers, c.same, c.child),
			func(t *testing.T) {
				modelcheck.CheckUpTo(t, c.bound, race.Enabled, func(m *modelcheck.Model) {
					var (
						ended   [4]int
						entered [4]bool
						mail    atomics.Bool
					)
					p := newPorch()
					// What a named thread does with a task that is bound to it.
					bound := func(i int, launch func()) {
						p.a.Enter()
						m.Assert(!p.over, "%d runs after all is over", i)
						ended[i]++
						launch()
						p.d.Report(1)
						p.d.Tell()
						p.leave()
					}
					for i := range c.launchers {
						m.Thread(func() {
							shard := uint32(i)
							if c.same {
								shard = 0
							}
							if !p.d.Enter(shard) {
								m.Assert(!p.d.Enter(shard+1),
									"a launch passes after one that was refused")
								if i == 0 {
									mail.Store(true) // nothing comes
								}
								return
							}
							entered[i] = true
							bound(i, func() {
								if c.child && i == 0 {
									p.d.Report(-1)
									entered[3] = true
									mail.Store(true)
								}
							})
						})
					}
					if c.child {
						m.Thread(func() {
							for !mail.Load() {
								atomics.Gosched()
							}
							if entered[3] {
								bound(3, func() {})
							}
						})
					}
					m.Thread(p.shutDown)
					m.After(func() {
						for i := range ended {
							m.Assert(ended[i] == 0 || entered[i], "%d was refused and ran", i)
							m.Assert(ended[i] == 1 || !entered[i], "%d ran %d times", i, ended[i])
						}
						m.Assert(p.d.Live() == 0, "%d are left", p.d.Live())
					})
				})
			})
	}

	// Sums: a slot that has launched reports it when it turns to something else, and meanwhile
	// somebody else has reported the completion. Who takes the one without the other counts
	// too little.
	for _, waits := range []bool{false, true} {
		t.Run(fmt.Sprintf("reported late, waits %v", waits), func(t *testing.T) {
			modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
				p := newPorch()
				p.d.Enter(0)
				var child, ran atomics.Bool
				m.Thread(func() {
					p.a.Enter()
					child.Store(true) // launched, and not reported
					for !ran.Load() {
						atomics.Gosched()
					}
					if waits { // gives its slot away, and that becomes idle
						p.d.Report(-1)
						p.leave()
						p.a.Enter()
						m.Assert(!p.over, "all is over, and a body has not ended")
						p.d.Report(1)
					} else {
						m.Assert(!p.over, "all is over, and a body has not ended")
						p.d.Report(0)
					}
					p.leave()
				})
				m.Thread(func() {
					for !child.Load() {
						atomics.Gosched()
					}
					p.a.Enter()
					p.d.Report(1)
					p.leave()
					ran.Store(true)
				})
				m.Thread(p.shutDown)
			})
		})
	}
}

// TestModelDoorClosers: one of those who close a door at the same time is told that he has closed
// it, and nobody enters after that. Whoever counts meanwhile sees the one that entered before.
func TestModelDoorClosers(t *testing.T) {
	modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
		p, closed := newPorch(), 0
		p.d.Enter(0)
		for range 2 {
			m.Thread(func() {
				if p.d.Close() {
					closed++
					m.Assert(!p.d.Enter(0), "a launch passes a closed door")
				}
			})
		}
		m.Thread(func() {
			live := p.d.Live()
			m.Assert(live == 1, "%d are live of one", live)
		})
		m.After(func() { m.Assert(closed == 1, "%d have closed the door", closed) })
	})
}
