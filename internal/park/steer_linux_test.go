package park_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/masks"
	"github.com/heddle-go/heddle/internal/dev/seed"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
)

// TestSteeringLeavesNoThreadBound wakes sleepers from many sides, while their time limits come as
// well.
func TestSteeringLeavesNoThreadBound(t *testing.T) {
	before := masks.All()
	own := ""
	for _, list := range before {
		require.True(t, own == "" || own == list, "the threads differ before: %v", before)
		own = list
	}
	sleepers := make([]*park.Parker, 4)
	var ended, wakers sync.WaitGroup
	stop := make(chan struct{})
	for i := range sleepers {
		p := park.New(park.OS)
		sleepers[i] = p
		r := seed.Rand(t, i)
		ended.Go(func() {
			for range short.Scaled(500) {
				p.ParkTimeout(time.Duration(r.IntN(200)) * time.Microsecond)
			}
			for range short.Scaled(100) {
				p.Park()
			}
		})
	}
	for i := range 2 {
		r := seed.Rand(t, len(sleepers)+i)
		wakers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					sleepers[r.IntN(len(sleepers))].UnparkElsewhere()
					runtime.Gosched() // else who was woken waits ten milliseconds for a processor
				}
			}
		})
	}
	ended.Wait()
	close(stop)
	wakers.Wait()
	for range 100 {
		park.GoElsewhere()
	}
	steered := 0
	for _, p := range sleepers {
		if p.Steered() {
			steered++
		}
	}
	if park.Steers && park.HandsOff() && (own == "0-1" || own == "0,1") {
		require.Positive(t, steered, "nobody was steered")
	} else {
		require.True(t, steered == 0 || strings.ContainsAny(own, ",-"),
			"steered, with processors %s", own)
	}
	for id, list := range masks.All() {
		require.Equal(t, own, list, "thread %s", id)
	}
}

// TestSteeringAllocatesNothing: a wake through the kernel makes its calls from the stack.
func TestSteeringAllocatesNothing(t *testing.T) {
	there, back := park.New(park.OS), park.New(park.OS)
	done := make(chan struct{})
	const rounds = 100
	go func() {
		defer close(done)
		for range rounds + 1 {
			there.Park()
			back.Unpark()
		}
	}()
	allocs := testing.AllocsPerRun(rounds, func() {
		for !there.Waiting() {
			time.Sleep(0)
		}
		there.UnparkElsewhere()
		back.Park()
	})
	<-done
	require.Zero(t, allocs)
}
