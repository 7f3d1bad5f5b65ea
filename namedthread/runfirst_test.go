package namedthread_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/namedthread"
)

// A condition runs what it chooses, high before normal, oldest first, and a pump finds the rest in
// order, once.
func TestRunFirst(t *testing.T) {
	th := attach(t)
	var got []uint64
	note := job(func(_ *namedthread.Thread, token uint64) { got = append(got, token) })
	odd := func(what namedthread.Runnable, token uint64) bool {
		_, is := what.(job)
		return is && token%2 == 1
	}
	for round := range uint64(3) {
		got = got[:0]
		for i := range uint64(100) {
			p := normal
			if i%10 >= 5 {
				p = high
			}
			require.NoError(t, th.Post(mainQ, p, note, i))
		}
		require.False(t, th.RunFirst(localQ, odd))
		th.Wait(mainQ, func() bool { return !th.RunFirst(mainQ, odd) })
		require.Len(t, got, 50)
		for i, n := range got {
			first := i / 30 * 30 // of its priority
			require.Equal(t, uint64(1), n%2)
			require.Equal(t, i < 30, n%10 >= 5)
			require.True(t, i == first || got[i-1] < n)
		}
		for i := range round { // what comes now is behind what is there
			require.NoError(t, th.Post(mainQ, normal, note, 100+i))
		}
		got = got[:0]
		n, err := th.PumpUntilIdle(mainQ)
		require.NoError(t, err)
		require.Equal(t, 50+int(round), n)
		for i, n := range got {
			require.Equal(t, n >= 100, i >= 50)
			require.True(t, i == 0 || i == 20 || got[i-1] < n, "%v", got)
		}
	}
}

// What it runs may pump, wait, run more in the same way, and post.
func TestRunFirstInside(t *testing.T) {
	th := start(t, namedthread.Options{})
	var order []uint64
	all := func(namedthread.Runnable, uint64) bool { return true }
	from := func(least uint64) func(namedthread.Runnable, uint64) bool {
		return func(_ namedthread.Runnable, token uint64) bool { return token >= least }
	}
	var work job
	work = func(th *namedthread.Thread, token uint64) {
		if token < 3 {
			require.NoError(t, th.Post(mainQ, normal, work, token+10))
			require.True(t, th.RunFirst(mainQ, from(token+1)))
		}
		order = append(order, token)
	}
	ask(t, th, func() {
		for i := range uint64(4) {
			require.NoError(t, th.Post(mainQ, normal, work, i))
		}
		for th.RunFirst(mainQ, all) {
		}
		require.Equal(t, []uint64{3, 2, 1, 0, 10, 11, 12}, order)
		n, err := th.PumpUntilIdle(mainQ)
		require.ErrorIs(t, err, namedthread.ErrReentered)
		require.Zero(t, n)
	})
}

// Work that panics is work that panicked, and what was posted before Quit can be run after it.
func TestRunFirstPanicAndQuit(t *testing.T) {
	th := attach(t)
	cancelled, ran := 0, 0
	work := cancelJob{
		run:    func(_ *namedthread.Thread, token uint64) { ran++; panic(token) },
		cancel: func(*namedthread.Thread, uint64) { cancelled++ },
	}
	for i := range uint64(3) {
		require.NoError(t, th.Post(mainQ, normal, work, i))
	}
	second := func(_ namedthread.Runnable, token uint64) bool { return token == 1 }
	require.True(t, th.RunFirst(mainQ, second))
	require.False(t, th.RunFirst(mainQ, second))
	require.ErrorContains(t, th.Err(), "1")
	th.Quit()
	require.True(t, th.RunFirst(mainQ, func(namedthread.Runnable, uint64) bool { return true }))
	_, err := th.PumpUntilIdle(mainQ)
	require.ErrorIs(t, err, namedthread.ErrClosed)
	require.Equal(t, [2]int{2, 1}, [2]int{ran, cancelled})
}

// However long the thread does without a pump, what has been run takes no memory, and nothing is
// allocated.
func TestRunFirstAllocations(t *testing.T) {
	th := attach(t)
	ran := 0
	var work namedthread.Runnable = job(func(*namedthread.Thread, uint64) { ran++ })
	require.NoError(t, th.Post(mainQ, normal, work, 0)) // stays where it is
	one := func(_ namedthread.Runnable, token uint64) bool { return token == 1 }
	step := func() {
		for range 10 {
			if th.Post(mainQ, normal, work, 1) != nil {
				t.Error("refused")
			}
		}
		for th.RunFirst(mainQ, one) {
		}
	}
	step()
	runs := short.Scaled(10_000)
	require.Zero(t, testing.AllocsPerRun(runs, step))
	require.Equal(t, 10*(runs+2), ran)
	n, err := th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, 1, n)
}
