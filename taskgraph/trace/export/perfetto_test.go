package export_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// fields calls f for each field of a message of protocol buffers, with its number or its bytes.
func fields(t require.TestingT, m []byte, f func(field int, v uint64, b []byte)) {
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		require.Positive(t, n)
		m = m[n:]
		if tag&7 == 1 {
			require.GreaterOrEqual(t, len(m), 8)
			f(int(tag>>3), binary.LittleEndian.Uint64(m), nil)
			m = m[8:]
			continue
		}
		v, n := binary.Uvarint(m)
		require.Positive(t, n)
		m = m[n:]
		if tag&7 == 0 {
			f(int(tag>>3), v, nil)
			continue
		}
		require.Equal(t, uint64(2), tag&7)
		require.LessOrEqual(t, v, uint64(len(m)))
		f(int(tag>>3), 0, m[:v])
		m = m[v:]
	}
}

// Each lane is a thread of its own. None has the number of the process: Perfetto takes that for the
// main thread, and puts it on top.
func TestPerfettoHasNoMainThread(t *testing.T) {
	const packet, track, process, thread, pid, tid = 1, 60, 3, 4, 1, 2
	s := &trace.Snapshot{To: 10, Lanes: []trace.Lane{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	pids, tids := map[uint64]bool{}, map[uint64]bool{}
	threads := 0
	fields(t, written(t, "Perfetto", s), func(field int, _ uint64, b []byte) {
		require.Equal(t, packet, field)
		fields(t, b, func(field int, _ uint64, b []byte) {
			if field != track {
				return
			}
			fields(t, b, func(field int, _ uint64, b []byte) {
				if field != process && field != thread {
					return
				}
				fields(t, b, func(k int, v uint64, _ []byte) {
					if k == pid {
						pids[v] = true
					}
					if field == thread && k == tid {
						tids[v] = true
						threads++
					}
				})
			})
		})
	})
	require.Len(t, pids, 1)
	require.Len(t, tids, threads)
	require.GreaterOrEqual(t, threads, len(s.Lanes))
	for id := range pids {
		require.NotContains(t, tids, id)
	}
}
