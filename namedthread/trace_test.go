package namedthread_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
)

// When a Wait or a pump is over, the thread is not taken for one that sleeps: a post makes no
// kernel call.
func TestAwakeThreadIsNotTriggered(t *testing.T) {
	th := attach(t)
	for _, q := range []namedthread.Queue{namedthread.QueueMain, namedthread.QueueLocal} {
		looked := 0
		th.Wait(q, func() bool {
			th.Wake() // so that it looks again and does not sleep
			looked++
			return looked == 3
		})
		th.Triggered() // left by Wake
		_, err := th.PumpFor(q, 1)
		require.NoError(t, err)
		post(t, th, namedthread.Func(func() {}))
		require.NoError(t, th.Post(namedthread.QueueLocal, namedthread.PriorityHigh,
			namedthread.Func(func() {}), 0))
		require.False(t, th.Triggered())
		ran, err := th.PumpUntilIdle(namedthread.QueueMain)
		require.NoError(t, err)
		require.Equal(t, 2, ran)
	}
}

// No name holds a zero byte, wherever it stands.
func TestNamesWithoutZero(t *testing.T) {
	r := namedthread.NewRegistry()
	for _, name := range []string{"", "\x00", "\x00Game", "Ga\x00me", "Game\x00"} {
		_, err := r.Start(name, namedthread.Options{})
		require.ErrorIs(t, err, namedthread.ErrName, "%q", name)
		_, err = r.Attach(name, namedthread.Options{})
		require.ErrorIs(t, err, namedthread.ErrName, "%q", name)
	}
	require.Empty(t, r.Threads())
}

// A token that two pumps were given serves once: no other token is mixed up with it.
func TestTokenOfTwoPumpsServesOnce(t *testing.T) {
	th := attach(t)
	k := th.NewToken()
	var between namedthread.Token
	post(t, th, namedthread.Func(func() {
		th.RequestReturn(k)
		_, err := th.PumpUntilReturn(namedthread.QueueLocal, k)
		require.NoError(t, err)
		between = th.NewToken()
		th.RequestReturn(between)
	}))
	ran, err := th.PumpUntilReturn(namedthread.QueueMain, k)
	require.NoError(t, err)
	require.Equal(t, 1, ran)
	// The token that was made meanwhile was returned and serves.
	post(t, th, namedthread.Func(func() {}))
	ran, err = th.PumpUntilReturn(namedthread.QueueMain, between)
	require.NoError(t, err)
	require.Zero(t, ran)
	require.NotEqual(t, th.NewToken(), th.NewToken())
	ran, err = th.PumpUntilIdle(namedthread.QueueMain)
	require.NoError(t, err)
	require.Equal(t, 1, ran)
}
