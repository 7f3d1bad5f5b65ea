package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) { watch.Main(m) }

// An echo is a server that sends back each line.
func echo(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	return l.Addr().String()
}

func start(t *testing.T) *Proxy {
	p, err := New(echo(t))
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// A peer is a connection to a proxy.
type peer struct {
	net.Conn
	lines *bufio.Reader
}

func dial(t *testing.T, p *Proxy) *peer {
	c, err := net.Dial("tcp", p.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return &peer{c, bufio.NewReader(c)}
}

func (c *peer) say(t *testing.T, line string) {
	_, err := io.WriteString(c, line+"\n")
	require.NoError(t, err)
}

func (c *peer) hear(t *testing.T, line string) {
	got, err := c.lines.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, line+"\n", got)
}

// silent says that nothing comes in a while: it can only miss something, never see what is not.
func (c *peer) silent(t *testing.T) {
	require.NoError(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err := c.lines.Peek(1)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.NoError(t, c.SetReadDeadline(time.Time{}))
}

// gone says that the connection is closed from the other side.
func (c *peer) gone(t *testing.T) {
	_, err := io.Copy(io.Discard, c.lines)
	require.True(t, err == nil || !errors.Is(err, os.ErrDeadlineExceeded))
}

func TestPasses(t *testing.T) {
	p := start(t)
	c := dial(t, p)
	for range 10 {
		c.say(t, "hello")
		c.hear(t, "hello")
	}
}

// TestStall: what is written while one side or both stand comes when the proxy heals, once and in
// order; connections that begin meanwhile stand too.
func TestStall(t *testing.T) {
	for _, sides := range [][]Side{{ToServer}, {ToClient}, {ToServer, ToClient}} {
		t.Run(fmt.Sprint(sides), func(t *testing.T) {
			p := start(t)
			c := dial(t, p)
			c.say(t, "before")
			c.hear(t, "before")
			require.NoError(t, p.Stall(sides...))
			require.NoError(t, p.Stall(sides...)) // again is the same
			c.say(t, "one")
			c.say(t, "two")
			c.silent(t)
			late := dial(t, p)
			late.say(t, "three")
			late.silent(t)
			require.NoError(t, p.Heal())
			c.hear(t, "one")
			c.hear(t, "two")
			late.hear(t, "three")
			c.say(t, "after")
			c.hear(t, "after")
		})
	}
}

// TestCut: connections are closed, those that stand too, and new ones work.
func TestCut(t *testing.T) {
	p := start(t)
	c := dial(t, p)
	c.say(t, "one")
	c.hear(t, "one")
	require.NoError(t, p.Stall(ToClient))
	c.say(t, "lost")
	require.NoError(t, p.Cut())
	c.gone(t)
	again := dial(t, p)
	again.say(t, "two")
	again.hear(t, "two")
}

// TestRefuse: nobody is accepted until it heals, at the same address.
func TestRefuse(t *testing.T) {
	p := start(t)
	c := dial(t, p)
	c.say(t, "one")
	c.hear(t, "one")
	p.Refuse()
	c.gone(t)
	_, err := net.Dial("tcp", p.Addr())
	require.Error(t, err)
	at := p.Addr()
	require.NoError(t, p.Heal())
	require.Equal(t, at, p.Addr())
	again := dial(t, p)
	again.say(t, "two")
	again.hear(t, "two")
	p.Close()
	require.NoError(t, p.Heal()) // does nothing
	_, err = net.Dial("tcp", p.Addr())
	require.Error(t, err)
}

// TestSlow: what is delayed and throttled arrives late, but all of it and in order. It cannot come
// sooner than the proxy lets it, so the lower bound of the time is exact.
func TestSlow(t *testing.T) {
	p := start(t)
	c := dial(t, p)
	require.NoError(t, p.Delay(20*time.Millisecond, 5*time.Millisecond))
	begin := time.Now()
	c.say(t, "hello")
	c.hear(t, "hello")
	require.GreaterOrEqual(t, time.Since(begin), 30*time.Millisecond)
	require.NoError(t, p.Throttle(ToServer, 100))
	long := strings.Repeat("x", 20<<10)
	begin = time.Now()
	c.say(t, long)
	c.hear(t, long)
	require.GreaterOrEqual(t, time.Since(begin), 150*time.Millisecond)
	require.NoError(t, p.Heal())
	c.say(t, "hello")
	c.hear(t, "hello")
}

func TestNoServer(t *testing.T) {
	p, err := New("127.0.0.1:0") // where nobody can listen
	require.NoError(t, err)
	dial(t, p).gone(t)
	p.Close()
}

// What is delayed, and held behind that, comes when both have ended.
func TestHealOfBoth(t *testing.T) {
	p := start(t)
	c := dial(t, p)
	require.NoError(t, p.Delay(time.Millisecond, 0))
	require.NoError(t, p.Stall(ToClient))
	const lines = 64
	for i := range lines {
		_, err := fmt.Fprintln(c, i)
		require.NoError(t, err)
		time.Sleep(time.Millisecond) // so that they are many pieces
	}
	require.NoError(t, p.Heal())
	for i := range lines {
		line, err := c.lines.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintln(i), line)
	}
}
