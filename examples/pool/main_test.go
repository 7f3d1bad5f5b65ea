package main

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/clitest"
)

func command(t *testing.T, args ...string) clitest.Outcome[struct{}] {
	t.Helper()
	return clitest.Call[struct{}](t, pool(), args...)
}

func TestCommand(t *testing.T) {
	for _, workers := range []string{"1", "2", "5"} {
		o := command(t, "-workers", workers)
		require.Equal(t, cli.OK, o.Status, o.Stderr)
		require.Regexp(t, `(?m)^one thread +[\d.]+  256 of 256 pictures$`, o.Stdout)
		require.Regexp(t, `(?m)^pool with priorities +[\d.]+  \d+ of 256 pictures$`, o.Stdout)
		require.Regexp(t, `\nEach way made the same thumbnails \(checksum [0-9a-f]{8}\)\.\n$`,
			o.Stdout)
		require.NotContains(t, o.Stdout, "checksum 00000000")
	}
}

func TestCommandLine(t *testing.T) {
	for _, value := range []string{"0", "-1", "1025"} {
		o := command(t, "-workers", value)
		require.Equal(t, cli.Failed, o.Status)
		clitest.Line(t, o.Stderr, "pool: -workers "+value+": want 1 to 1024")
	}
	o := command(t, "stray")
	require.Equal(t, cli.Usage, o.Status)
	clitest.Help(t, command, "workers", "progress")
}

func TestSentences(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	r := result{workers: 2, sum: 0xabc, equal: true,
		rows: [...]row{{ms(40), 256}, {ms(21), 256}, {ms(20), 34}}}
	lines := r.lines()
	require.Equal(t, []string{
		"Priorities work: the pictures in view were ready after 34 pictures instead of 256.",
		"The pool with priorities and 2 workers was 2.00 times as fast as one thread.",
		"Each way made the same thumbnails (checksum 00000abc).",
	}, lines[len(lines)-3:])
	r.workers, r.equal = 1, false
	r.rows[2] = row{ms(50), 256}
	lines = r.lines()
	require.Equal(t, []string{
		"Priorities gained nothing in this run: the pictures in view were ready after 256 " +
			"pictures, and after 256 without.",
		"The pool with priorities and 1 worker was slower than one thread: it took 1.25 times as " +
			"long.",
		"The ways made DIFFERENT thumbnails.",
	}, lines[len(lines)-3:])
	r.rows[2].took = ms(40)
	require.Contains(t, r.lines()[8], "was level with one thread (1.00 times as fast)")
}

// Without priorities the pictures in view, which are requested last, are ready last.
func TestRequestsAreInOrder(t *testing.T) {
	require.Equal(t, pictures, alone().last)
	require.Equal(t, pictures, pooled(1, later).last)
}

// A pool of one runs what is urgent before what came earlier.
func TestPoolPriorities(t *testing.T) {
	p := NewPool(1, 2)
	var order []int
	start := make(chan struct{})
	p.Go(urgent, func() { <-start })
	for i := range 10 {
		p.Go(i%2, func() { order = append(order, i) })
	}
	close(start)
	p.Close()
	require.Equal(t, []int{0, 2, 4, 6, 8, 1, 3, 5, 7, 9}, order)
}

// All that was asked for is done before a Close returns, whoever sleeps meanwhile.
func TestPoolRunsAll(t *testing.T) {
	for range 20 {
		p := NewPool(4, 3)
		const each = 200
		var ran [4 * each]bool
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				for i := range each {
					p.Go(i%3, func() { ran[g*each+i] = true })
				}
			})
		}
		all.Wait()
		p.Close()
		for i, ok := range ran {
			require.True(t, ok, "%d", i)
		}
	}
}

func TestFuture(t *testing.T) {
	var f Future[int]
	var got []int
	f.OnDone(func(v int) { got = append(got, v) })
	f.OnDone(func(v int) { got = append(got, v+1) })
	require.Empty(t, got)
	f.Resolve(10)
	f.OnDone(func(v int) { got = append(got, v+2) })
	require.Equal(t, []int{10, 11, 12}, got)
	require.PanicsWithValue(t, "pool: Future resolved twice", func() { f.Resolve(11) })
}

// Each of many calls comes once, whether it is registered before or after the value is there.
func TestFutureConcurrently(t *testing.T) {
	for range 200 {
		var f Future[int]
		var got [3]int
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() { f.OnDone(func(v int) { got[i] += v }) })
		}
		all.Go(func() { f.Resolve(7) })
		all.Wait()
		require.Equal(t, [3]int{7, 7, 7}, got)
	}
}

func TestBuffers(t *testing.T) {
	b := NewBuffers(2, 8)
	x, y, z := b.Get(), b.Get(), b.Get()
	require.Len(t, z, 8)
	b.Put(x)
	b.Put(y)
	b.Put(z)
	require.Same(t, &x[0], &b.Get()[0])
	require.Same(t, &y[0], &b.Get()[0])
	require.NotSame(t, &z[0], &b.Get()[0])
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestLog(t *testing.T) {
	var out strings.Builder
	l := NewLog(&out)
	want := ""
	for i := range 10 {
		l.Printf("line %d", i)
		want += "line " + string(rune('0'+i%10)) + "\n"
	}
	require.NoError(t, l.Close())
	require.Equal(t, want, out.String())
	l = NewLog(broken{})
	l.Printf("x")
	require.ErrorIs(t, l.Close(), errBroken)
}
