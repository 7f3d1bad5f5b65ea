package namedthread_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
)

func TestRegistryPost(t *testing.T) {
	var r namedthread.Registry
	th, err := r.Attach("Game", namedthread.Options{})
	require.NoError(t, err)
	var order []uint64
	note := job(func(_ *namedthread.Thread, token uint64) { order = append(order, token) })
	id := th.ID()
	require.NoError(t, r.Post(id.WithQueue(localQ), note, 3))
	require.NoError(t, r.Post(id, note, 2))
	require.NoError(t, r.Post(id.WithPriority(high), note, 1))
	for _, none := range []namedthread.ID{
		namedthread.MakeID(1, mainQ, normal, 0),
		namedthread.MakeID(namedthread.AnyThread, mainQ, normal, 0),
	} {
		require.ErrorIs(t, r.Post(none, note, 9), namedthread.ErrNoThread)
		_, ok := r.Find(none)
		require.False(t, ok)
	}
	require.PanicsWithValue(t, "namedthread: Post to ID(0xfe)", func() { r.Post(0xfe, note, 9) })
	found, ok := r.Find(id.WithQueue(localQ))
	require.True(t, ok)
	require.Same(t, th, found)
	_, err = th.PumpUntilIdle(mainQ)
	require.NoError(t, err)
	require.Equal(t, []uint64{1, 2, 3}, order)
	th.Quit()
	require.ErrorIs(t, r.Post(id, note, 9), namedthread.ErrClosed)
	require.NoError(t, th.Detach())
	require.ErrorIs(t, r.Post(id, note, 9), namedthread.ErrNoThread)
}

// TestMaxThreads: as many threads as an ID can tell apart, all alive at once.
func TestMaxThreads(t *testing.T) {
	var r namedthread.Registry
	all := make([]*namedthread.Thread, namedthread.MaxThreads)
	for i := range all {
		th, err := r.Start("Thread "+strconv.Itoa(i), namedthread.Options{})
		require.NoError(t, err)
		all[i] = th
	}
	_, err := r.Start("One more", namedthread.Options{})
	require.ErrorIs(t, err, namedthread.ErrRegistryFull)
	_, err = r.Start("Thread 7", namedthread.Options{})
	require.ErrorIs(t, err, namedthread.ErrNameTaken)

	done := make(chan *namedthread.Thread, len(all))
	say := job(func(th *namedthread.Thread, token uint64) {
		if th.Index() != int(token) {
			t.Errorf("%v runs what is for %d", th, token)
		}
		if now, err := namedthread.Current(); err == nil && now != th {
			t.Errorf("%v is taken for %v", th, now)
		}
		done <- th
	})
	for i := range all {
		id, err := namedthread.ParseID(strconv.Itoa(i) + "/main/normal/normal")
		require.NoError(t, err)
		require.NoError(t, r.Post(id, say, uint64(i)))
	}
	seen := map[*namedthread.Thread]bool{}
	for range all {
		seen[<-done] = true
	}
	require.Len(t, seen, namedthread.MaxThreads)
	for _, th := range all {
		th.Quit()
	}
	for _, th := range all {
		<-th.Done()
	}
	require.Empty(t, r.Threads())
}
