package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/spread"
)

// TestSpreadPassesIdleSlots: who is on the same processor counts, unless its slot is idle.
func TestSpreadPassesIdleSlots(t *testing.T) {
	k := newKernel(2, 0, nil)
	now, thread, questions := int64(0), uint32(0), 0
	k.SpreadOn(&spread.Threads{
		Now:   func() int64 { now += 1e9; return now },
		Here:  func() (uint32, uint32) { return 0, thread },
		Waits: func(uint32, uint32) bool { questions++; return false },
	})
	look := func(slot int) {
		thread = uint32(slot) + 1
		k.Spread(k.Slots()[slot])
	}
	look(0)
	look(1)
	require.Equal(t, 1, questions)
	k.SetIdle(k.Slots()[0])
	look(1)
	require.Equal(t, 1, questions)
}

// TestSpreadAmongSlots has kernels with and without threads that it may move.
func TestSpreadAmongSlots(t *testing.T) {
	require.Equal(t, park.CanMove(), newKernel(2, 0, nil).CanSpread())
	cfg := kernel.Config{Workers: 2, Own: func(*kernel.Slot) any { return nil }, Anywhere: true}
	require.False(t, kernel.New(cfg).CanSpread())
	cfg.Anywhere, cfg.Sleep.Park = false, sleepevent.ParkGo
	require.False(t, kernel.New(cfg).CanSpread())

	k := newKernel(2, 0, nil)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for range 100 {
			k.Spread(k.Slots()[0])
		}
	}))
	done := make(chan struct{})
	var over atomics.Bool
	go func() {
		defer close(done)
		for !over.Load() {
			k.Spread(k.Slots()[0])
		}
	}()
	for range 100_000 {
		k.Spread(k.Slots()[1])
	}
	over.Store(true)
	<-done
}
