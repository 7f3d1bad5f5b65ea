package farm

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// sampleMessages are of every form.
func sampleMessages() []*message {
	arg := []byte("argument")
	return []*message{
		{id: jobID{"a", "1"}, inline: true, arg: arg, argRef: RefOf(arg)},
		{id: jobID{"upper", "1.2.3"}, timeout: time.Minute, inline: true, argRef: RefOf(nil)},
		{id: jobID{"b", "x"}, argRef: Ref{RefOf(arg).Hash, 1 << 40},
			refs: []Ref{RefOf(arg), RefOf(nil)}, data: [][]byte{nil, {}}},
	}
}

func sampleRecords() []*record {
	out := []byte("result")
	return []*record{
		{kind: recordInline, attempts: 1, run: time.Second, worker: "w-1", ref: RefOf(out),
			payload: out},
		{kind: recordObject, attempts: 3, ref: Ref{RefOf(out).Hash, 1 << 33}},
		failure(5, "w-2", ErrTooLarge),
	}
}

func TestMessagesRoundTrip(t *testing.T) {
	for _, m := range sampleMessages() {
		b := m.encode()
		got, err := decodeMessage(b)
		require.NoError(t, err)
		require.Equal(t, b, got.encode())
		require.Equal(t, m.key(), got.key())
		for i := range b {
			_, err := decodeMessage(b[:i])
			require.ErrorIs(t, err, ErrInvalid, "the first %d bytes", i)
		}
		_, err = decodeMessage(append(b, 0))
		require.ErrorIs(t, err, ErrInvalid)
	}
	for _, r := range sampleRecords() {
		b := r.encode()
		got, err := decodeRecord(b)
		require.NoError(t, err)
		require.Equal(t, b, got.encode())
		for i := range b {
			_, err := decodeRecord(b[:i])
			require.ErrorIs(t, err, ErrInvalid)
		}
	}
}

// The same work has the same key whether its argument travels in the message or not, and other work
// has another one.
func TestKeys(t *testing.T) {
	arg := []byte("argument")
	m := &message{id: jobID{"a", "b"}, inline: true, arg: arg, argRef: RefOf(arg)}
	stored := &message{id: jobID{"a", "b"}, timeout: time.Second, argRef: RefOf(arg)}
	require.Equal(t, m.key(), stored.key())
	seen := map[Hash]bool{m.key(): true}
	for _, other := range []*message{
		{id: jobID{"ab", ""}, argRef: RefOf(arg)},
		{id: jobID{"b", "a"}, argRef: RefOf(arg)},
		{id: jobID{"a", "b"}, argRef: RefOf(nil)},
		{id: jobID{"a", "b"}, argRef: RefOf(arg), refs: []Ref{RefOf(nil)}},
		{id: jobID{"a", "b"}, argRef: RefOf(nil), refs: []Ref{RefOf(arg)}},
		{id: jobID{"a", "b"}, argRef: RefOf(nil), refs: []Ref{RefOf(arg), RefOf(nil)}},
		{id: jobID{"a", "b"}, argRef: RefOf(nil), refs: []Ref{RefOf(nil), RefOf(arg)}},
	} {
		require.False(t, seen[other.key()], "%+v", other)
		seen[other.key()] = true
	}
}

// Whatever a message holds, it is decoded to what encode gives the same bytes for, or refused with
// ErrInvalid, and nothing that is decoded is beyond a limit.
func FuzzDecode(f *testing.F) {
	for _, m := range sampleMessages() {
		f.Add(m.encode())
	}
	for _, r := range sampleRecords() {
		f.Add(r.encode())
	}
	f.Add([]byte("HJ1\x01a\x011\x00\x01\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := decodeMessage(b); err != nil {
			require.ErrorIs(t, err, ErrInvalid)
		} else {
			require.NoError(t, errFirst(checkName(m.id.name), checkName(m.id.version)))
			require.LessOrEqual(t, len(m.refs), maxRefs)
			require.True(t, bytes.Equal(b, m.encode()))
		}
		if r, err := decodeRecord(b); err != nil {
			require.ErrorIs(t, err, ErrInvalid)
		} else {
			require.True(t, bytes.Equal(b, r.encode()))
		}
	})
}
