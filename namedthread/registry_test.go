package namedthread_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
)

func TestRegistry(t *testing.T) {
	var r namedthread.Registry
	_, ok := r.Lookup("A")
	require.False(t, ok)
	_, ok = r.At(0)
	require.False(t, ok)
	require.Empty(t, r.Threads())

	var all []*namedthread.Thread
	for i, name := range []string{"A", "B", "C"} {
		th, err := r.Start(name, namedthread.Options{})
		require.NoError(t, err)
		require.Equal(t, name, th.Name())
		require.Equal(t, `namedthread "`+name+`"`, th.String())
		require.Equal(t, i, th.Index())
		require.Equal(t, i, th.ID().Index())
		all = append(all, th)
	}
	require.Equal(t, all, r.Threads())
	found, ok := r.Lookup("B")
	require.True(t, ok)
	require.Same(t, all[1], found)
	found, ok = r.At(2)
	require.True(t, ok)
	require.Same(t, all[2], found)
	for _, index := range []int{-1, 3, namedthread.AnyThread} {
		_, ok = r.At(index)
		require.False(t, ok)
	}

	_, err := r.Start("B", namedthread.Options{})
	require.ErrorIs(t, err, namedthread.ErrNameTaken)
	_, err = r.Attach("B", namedthread.Options{})
	require.ErrorIs(t, err, namedthread.ErrNameTaken)
	for _, name := range []string{"", "a\x00b"} {
		_, err = r.Start(name, namedthread.Options{})
		require.ErrorIs(t, err, namedthread.ErrName)
	}

	all[1].Quit()
	<-all[1].Done()
	require.Equal(t, []*namedthread.Thread{all[0], all[2]}, r.Threads())
	again, err := r.Start("B", namedthread.Options{})
	require.NoError(t, err)
	require.Equal(t, 1, again.Index(), "the lowest free index")
	for _, th := range r.Threads() {
		th.Quit()
		<-th.Done()
	}
}

// TestOldID: an ID of a thread asks for that thread, not for the one that has its index now.
func TestOldID(t *testing.T) {
	var r namedthread.Registry
	begin := func(name string) *namedthread.Thread {
		th, err := r.Start(name, namedthread.Options{})
		require.NoError(t, err)
		require.Zero(t, th.Index())
		return th
	}
	end := func(th *namedthread.Thread) {
		th.Quit()
		<-th.Done()
	}
	wrong := namedthread.Func(func() { t.Error("the post of an old ID has run") })
	whoever := namedthread.MakeID(0, mainQ, normal, 0)
	first := begin("First")
	old := first.ID()
	require.EqualValues(t, 1, old.Generation())
	require.Equal(t, "0#1/main/normal/normal", old.String())
	end(first)
	for i := range 100 {
		next := begin("Next")
		require.EqualValues(t, i+2, next.ID().Generation())
		require.ErrorIs(t, r.Post(old, wrong, 0), namedthread.ErrNoThread)
		require.ErrorIs(t, r.Post(old.WithQueue(localQ), wrong, 0), namedthread.ErrNoThread)
		_, ok := r.Find(old)
		require.False(t, ok)
		for _, id := range []namedthread.ID{next.ID(), whoever} {
			found, ok := r.Find(id)
			require.True(t, ok)
			require.Same(t, next, found)
			ran := make(chan struct{})
			require.NoError(t, r.Post(id, namedthread.Func(func() { close(ran) }), 0))
			<-ran
		}
		require.Equal(t, old, first.ID(), "a thread that has ended keeps its ID")
		end(next)
	}
}

// TestGenerationsBeginAnew: after the last one comes 1, never 0, which stands for none.
func TestGenerationsBeginAnew(t *testing.T) {
	var r namedthread.Registry
	namedthread.SetGeneration(&r, 1<<20-2)
	for _, want := range []uint32{1<<20 - 1, 1, 2} {
		th, err := r.Start("A", namedthread.Options{})
		require.NoError(t, err)
		id := th.ID()
		require.Equal(t, want, id.Generation())
		require.True(t, id.Valid())
		same, err := namedthread.ParseID(id.String())
		require.NoError(t, err)
		require.Equal(t, id, same)
		th.Quit()
		<-th.Done()
	}
}

func TestOptionsChecked(t *testing.T) {
	r := namedthread.NewRegistry()
	_, err := r.Start("A", namedthread.Options{Priority: 4})
	require.ErrorContains(t, err, "Options.Priority")
	_, err = r.Start("A", namedthread.Options{Affinity: []int{0, -1}})
	require.ErrorContains(t, err, "Options.Affinity")
	_, err = r.Start("A", namedthread.Options{Crash: true, OnPanic: func(any, []byte) {}})
	require.ErrorContains(t, err, "Options.Crash")
	_, err = r.Attach("A", namedthread.Options{Priority: namedthread.ThreadHigh})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.Empty(t, r.Threads())
}

func TestRegistryFull(t *testing.T) {
	r := namedthread.NewRegistry()
	namedthread.Fill(r)
	_, err := r.Start("one more", namedthread.Options{})
	require.ErrorIs(t, err, namedthread.ErrRegistryFull)
	_, err = r.Attach("one more", namedthread.Options{})
	require.ErrorIs(t, err, namedthread.ErrRegistryFull)
	last, ok := r.At(namedthread.MaxThreads - 1)
	require.True(t, ok)
	require.True(t, last.ID().Valid())
}

func TestRegistryConcurrently(t *testing.T) {
	r := namedthread.NewRegistry()
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 10 {
				name := strconv.Itoa(g) + "." + strconv.Itoa(i)
				th, err := r.Start(name, namedthread.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				for _, other := range r.Threads() {
					if found, ok := r.At(other.Index()); ok {
						found.Refused()
						found.Post(mainQ, normal, namedthread.Func(func() {}), 0)
					}
				}
				if found, ok := r.Lookup(name); !ok || found != th {
					t.Errorf("%s not found", name)
				}
				th.Quit()
				<-th.Done()
			}
		})
	}
	all.Wait()
	require.Empty(t, r.Threads())
}
