package namedthread_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/namedthread"
)

func TestIDRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		index := rapid.OneOf(rapid.IntRange(0, namedthread.MaxThreads-1),
			rapid.Just(namedthread.AnyThread)).Draw(t, "index")
		q := namedthread.Queue(rapid.IntRange(0, 1).Draw(t, "queue"))
		p := namedthread.Priority(rapid.IntRange(0, 1).Draw(t, "priority"))
		tp := namedthread.ThreadPriority(rapid.IntRange(0, 3).Draw(t, "thread priority"))
		id := namedthread.MakeID(index, q, p, tp)
		require.True(t, id.Valid())
		require.Equal(t, index, id.Index())
		require.Equal(t, index == namedthread.AnyThread, id.Any())
		require.Equal(t, q, id.Queue())
		require.Equal(t, p, id.Priority())
		require.Equal(t, tp, id.ThreadPriority())
	})
}

func FuzzID(f *testing.F) {
	for _, seed := range []uint32{0, 0xff, 0xfe, 0xfd, 0x1ff, 0x2ff, 0xbff, 0xcff, 0x1000,
		1 << 31} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, word uint32) {
		id := namedthread.ID(word)
		if !id.Valid() {
			require.Contains(t, id.String(), "ID(0x")
			return
		}
		same := namedthread.MakeID(id.Index(), id.Queue(), id.Priority(), id.ThreadPriority())
		require.Equal(t, id&0xfff, same)
		require.EqualValues(t, id>>12, id.Generation())
		for _, other := range []namedthread.ID{
			id.WithQueue(1 - id.Queue()), id.WithPriority(1 - id.Priority()),
			id.WithThreadPriority((id.ThreadPriority() + 1) % 4),
		} {
			require.True(t, other.Valid())
			require.NotEqual(t, id, other)
			require.Equal(t, id.Index(), other.Index())
			require.Equal(t, id.Generation(), other.Generation())
			require.NotEqual(t, id.String(), other.String())
		}
	})
}

func TestIDBits(t *testing.T) {
	require.False(t, namedthread.ID(0x10ff).Valid(), "any thread of a generation")
	require.True(t, namedthread.ID(0xfffff_0fd).Valid())
	require.EqualValues(t, 0x03,
		namedthread.MakeID(3, namedthread.QueueMain, namedthread.PriorityHigh,
			namedthread.ThreadNormal))
	require.EqualValues(t, 0x103,
		namedthread.MakeID(3, namedthread.QueueLocal, namedthread.PriorityHigh,
			namedthread.ThreadNormal))
	require.EqualValues(t, 0x203,
		namedthread.MakeID(3, namedthread.QueueMain, namedthread.PriorityNormal,
			namedthread.ThreadNormal))
	require.EqualValues(t, 0xbff,
		namedthread.MakeID(namedthread.AnyThread, namedthread.QueueLocal,
			namedthread.PriorityNormal, namedthread.ThreadHighest))
}

func TestIDString(t *testing.T) {
	id := namedthread.MakeID(7, namedthread.QueueMain, namedthread.PriorityNormal,
		namedthread.ThreadNormal)
	require.Equal(t, "7/main/normal/normal", id.String())
	id = namedthread.MakeID(namedthread.AnyThread, namedthread.QueueLocal, namedthread.PriorityHigh,
		namedthread.ThreadHighest)
	require.Equal(t, "any/local/high/highest", id.String())
	require.Equal(t, "high", namedthread.ThreadHigh.String())
	require.Equal(t, "ID(0xfe)", namedthread.ID(0xfe).String())
	require.Equal(t, "Queue(2)", namedthread.Queue(2).String())
	require.Equal(t, "Priority(9)", namedthread.Priority(9).String())
	require.Equal(t, "ThreadPriority(4)", namedthread.ThreadPriority(4).String())
}

func TestIDMisuse(t *testing.T) {
	const message = "namedthread: no such "
	for what, f := range map[string]func(){
		"index: 254":                         func() { namedthread.MakeID(254, 0, 0, 0) },
		"index: -1":                          func() { namedthread.MakeID(-1, 0, 0, 0) },
		"index: 256":                         func() { namedthread.MakeID(256, 0, 0, 0) },
		"queue: Queue(2)":                    func() { namedthread.ID(0).WithQueue(2) },
		"priority: Priority(2)":              func() { namedthread.ID(0).WithPriority(2) },
		"thread priority: ThreadPriority(4)": func() { namedthread.ID(0).WithThreadPriority(4) },
	} {
		require.PanicsWithValue(t, message+what, f)
	}
}
