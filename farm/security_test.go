package farm_test

import (
	"context"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/farm"
)

// A server in the process listens nowhere, or on the loopback interface alone, and wants its token.
func TestNothingIsOpen(t *testing.T) {
	f := open(t, farm.Options{})
	require.Empty(t, f.URL())
	f = open(t, farm.Options{Listen: true})
	u, err := url.Parse(f.URL())
	require.NoError(t, err)
	host, _, err := net.SplitHostPort(u.Host)
	require.NoError(t, err)
	require.True(t, net.ParseIP(host).IsLoopback())
	require.GreaterOrEqual(t, len(u.User.Username()), 26)
	for _, wrong := range []string{"nats://" + u.Host, "nats://guess@" + u.Host} {
		_, err = nats.Connect(wrong)
		require.ErrorIs(t, err, nats.ErrAuthorization)
	}
	_, err = farm.Open(bg, farm.Options{URL: "nats://guess@" + u.Host})
	require.ErrorIs(t, err, nats.ErrAuthorization)
}

// What is no message is put aside, where it can be looked at, and the queue goes on.
func TestHostileMessages(t *testing.T) {
	h := newHistory()
	sys := start(t)
	o := quick(h)
	o.Jobs, o.Listen = upper(), true
	f := open(t, o)
	nc, err := nats.Connect(f.URL())
	require.NoError(t, err)
	defer nc.Close()
	subject := func(key string) string { return "heddle.job.normal.upper.1." + key }
	const head = "HJ1\x05upper\x011\x00"
	hostile := []*nats.Msg{
		{Subject: subject("none")},
		{Subject: subject("short"), Data: []byte("HJ1")},
		{Subject: subject("shell"), Data: []byte("#!/bin/sh\nrm -rf /")},
		{Subject: subject("huge"), Data: []byte(head + "\x01\xff\xff\xff\xff\xff\xff\x7f")},
		{Subject: subject("many"), Data: []byte(head + "\x01\x00\xff\x1f")},
		// Well formed, under a key that is not its own.
		{Subject: subject(strings.Repeat("0", 64)), Data: []byte(head + "\x01\x00\x00")},
		// Of a job that this queue is not for.
		{Subject: subject("other"), Data: []byte("HJ1\x04fail\x011\x00\x01\x00\x00")},
		{Subject: subject("empty"), Header: nats.Header{"Status": {"404"}}},
	}
	for _, m := range hostile {
		require.NoError(t, nc.PublishMsg(m))
	}
	// Nor does what is said of workers and results harm anybody.
	require.NoError(t, nc.Publish("heddle.worker.x", []byte(`{"ID":"../x","Slots":1}`)))
	require.NoError(t, nc.Publish("heddle.worker.x", []byte(`{`)))
	require.NoError(t, nc.Publish("heddle.done.x", []byte("HR1")))
	require.NoError(t, nc.Flush())
	work(t, f, o.Jobs, farm.WorkOptions{})
	b, err := farm.Call(sys, f, "upper", farm.Bytes([]byte("x")), remote).Get(bg)
	require.NoError(t, err)
	require.Equal(t, "X", string(b))
	settled(t, f)
	require.Equal(t, len(hostile), h.of(farm.NoteAside))
	dead, err := f.DeadLetters(bg, 100)
	require.NoError(t, err)
	require.Len(t, dead, len(hostile))
	require.Equal(t, 1, h.of(farm.NoteRun))
	s, err := f.Status(bg)
	require.NoError(t, err)
	for _, w := range s.Workers {
		require.NotEqual(t, "../x", w.ID)
	}
}

func TestNames(t *testing.T) {
	jobs := farm.NewJobs()
	for _, bad := range []string{"", "a b", "*", ">", ".a", "-a", "a/b", "ä", "a\n",
		strings.Repeat("a", 65)} {
		require.Panics(t, func() { jobs.RegisterBytes(bad, "1", nop) }, "%q", bad)
		require.Panics(t, func() { jobs.RegisterBytes("a", bad, nop) }, "%q", bad)
		_, err := farm.Open(bg, farm.Options{Name: bad + " "})
		require.ErrorIs(t, err, farm.ErrInvalid)
	}
	jobs.RegisterBytes("assets.mips-v2", "1.0.3", nop)
	require.Panics(t, func() { jobs.RegisterBytes("assets.mips-v2", "1.0.3", nop) })
	require.Equal(t, []string{"assets.mips-v2 1.0.3"}, jobs.Names())
	sys := start(t)
	f, err := farm.Local(farm.Options{Jobs: jobs})
	require.NoError(t, err)
	_, err = farm.Call(sys, f, "a b", farm.Bytes(nil), farm.CallOptions{Version: "1"}).Get(bg)
	require.ErrorIs(t, err, farm.ErrInvalid)
	_, err = farm.Call(sys, f, "unknown", farm.Bytes(nil), farm.CallOptions{}).Get(bg)
	require.ErrorIs(t, err, farm.ErrUnknown)
	require.NoError(t, f.Close())
}

func nop(context.Context, []byte) ([]byte, error) { return nil, nil }
