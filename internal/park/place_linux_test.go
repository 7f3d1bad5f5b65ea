//go:build linux && gc && !heddle_nolinkname && !modelcheck && !race && !heddle_count

package park_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
)

// TestParseStat has lines as proc(5) describes them, and what could be taken for one.
func TestParseStat(t *testing.T) {
	line := func(name string, state byte, processor string) string {
		return fmt.Sprintf("77 (%s) %c%s %s 0 0 0 0\n", name, state,
			strings.Repeat(" -1", 39-4), processor)
	}
	for _, name := range []string{"game", "", "a) S 1 (b", "((", "1 2 3 4"} {
		state, processor, ok := park.ParseStat([]byte(line(name, 'R', "13")))
		require.True(t, ok, name)
		require.Equal(t, byte('R'), state, name)
		require.EqualValues(t, 13, processor, name)
	}
	whole := line("game", 'S', "2")
	end := strings.LastIndex(whole, " 2 ") + 2
	for cut := range end {
		_, _, ok := park.ParseStat([]byte(whole[:cut]))
		require.False(t, ok, "%q", whole[:cut])
	}
	for _, bad := range []string{"", ")", "-1", "x", "99999999999"} {
		_, _, ok := park.ParseStat([]byte(line("game", 'R', bad)))
		require.False(t, ok, bad)
	}
}

// TestIsRunnableOn asks about the thread of a goroutine that computes and then sleeps.
func TestIsRunnableOn(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("with one P no thread computes while this one looks")
	}
	hang.Watch(t)
	sleeper, begun, over := park.New(park.OS), make(chan uint32), make(chan struct{})
	var computes atomics.Bool
	computes.Store(true)
	go func() {
		defer close(over)
		runtime.LockOSThread()
		_, thread := park.Here()
		begun <- thread
		for computes.Load() {
			atomics.Pause(100)
		}
		sleeper.Park()
	}()
	thread := <-begun
	onAny := func(thread uint32) bool {
		for processor := range uint32(1024) {
			if park.IsRunnableOn(thread, processor) {
				return true
			}
		}
		return false
	}
	for !onAny(thread) { // it may move while it is looked for
		runtime.Gosched()
	}
	if park.HandsOff() {
		computes.Store(false)
		for onAny(thread) {
			runtime.Gosched()
		}
	}
	computes.Store(false)
	sleeper.Unpark()
	<-over
	require.False(t, onAny(1<<24), "there is no such thread")
}

// TestGoElsewhereArrives: who has moved is on the other processor, and may go back.
func TestGoElsewhereArrives(t *testing.T) {
	if !park.CanMove() {
		t.Skip("there are not two processors")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	moved := 0
	for range short.Scaled(200) {
		before, thread := park.Here()
		park.GoElsewhere()
		after, same := park.Here()
		require.Equal(t, thread, same)
		if after != before { // else the kernel has moved it back, once it was free
			moved++
		}
	}
	require.Positive(t, moved)
}

func TestIsRunnableOnAllocatesNothing(t *testing.T) {
	_, thread := park.Here()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		park.IsRunnableOn(thread, 0)
		park.IsRunnableOn(1<<24, 0)
	}))
}
