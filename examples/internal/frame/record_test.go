package frame

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A rising gauge reads more each time.
type rising struct{ at int }

func (r *rising) begin()   {}
func (r *rising) end() int { r.at++; return r.at }

// A toldStep is what a recording says of a step.
type toldStep struct {
	name          string
	bytes         int
	after, pieces []int
	feeder        int
	fed           []int
}

// readRecording reads what write has written: strictly, since a program of another module does so
// too.
func readRecording(t *testing.T, text []byte) (head string, steps []toldStep) {
	t.Helper()
	in := bufio.NewScanner(bytes.NewReader(text))
	in.Split(bufio.ScanWords)
	word := func() string {
		require.True(t, in.Scan(), "it ends in the middle")
		return in.Text()
	}
	number := func() (n int) {
		_, err := fmt.Sscan(word(), &n)
		require.NoError(t, err)
		return n
	}
	numbers := func(n int) []int {
		list := make([]int, n)
		for i := range list {
			list[i] = number()
		}
		return list
	}
	want := func(w string) { require.Equal(t, w, word()) }
	head, rest, _ := strings.Cut(string(text), "\n")
	in = bufio.NewScanner(strings.NewReader(rest))
	in.Split(bufio.ScanWords)
	for in.Scan() {
		if in.Text() == "fed" {
			last := &steps[len(steps)-1]
			last.feeder, last.fed = number(), numbers(len(last.pieces))
			continue
		}
		require.Equal(t, "step", in.Text())
		s := toldStep{name: word(), feeder: -1}
		want("pieces")
		pieces := number()
		want("bytes")
		s.bytes = number()
		want("after")
		s.after = numbers(number())
		s.pieces = numbers(pieces)
		steps = append(steps, s)
	}
	return head, steps
}

// What is written can be read: each step with its pieces, what it comes after before it, and each
// dependent with a piece that feeds it. Of several runs the least of each piece counts.
func TestRecording(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a scene with the finest pieces, four times")
	}
	o := options{rough: true, frames: 1, workers: 1, seed: 7, physicsName: "split",
		settingName: "courtyards", size: 1}
	require.NoError(t, o.validate(true))
	r := &recording{}
	require.NoError(t, r.play(o, &stopwatch{}))
	for i := range r.pieces { // so that the next run is less everywhere
		for k := range r.pieces[i] {
			r.pieces[i][k] = time.Hour
		}
	}
	require.NoError(t, r.play(o, &stopwatch{}))
	for i := range r.bytes {
		require.Equal(t, -1, r.bytes[i])
	}
	require.NoError(t, r.play(o, &rising{}))
	want := append([]int{}, r.bytes...)
	require.NoError(t, r.play(o, &rising{at: 1 << 20}))
	require.Equal(t, want, r.bytes, "the least counts")

	var text bytes.Buffer
	require.NoError(t, r.write(&text, o))
	head, steps := readRecording(t, text.Bytes())
	require.Equal(t, fmt.Sprintf("frame %d scene courtyards seed 7 steps %d", recordFrame,
		len(r.pieces)), head)
	require.Len(t, steps, len(r.pieces))
	require.Equal(t, "between-frames", steps[len(steps)-1].name)
	fed := 0
	for i, s := range steps {
		require.Equal(t, want[i], s.bytes, s.name)
		require.Len(t, s.pieces, len(r.pieces[i]), s.name)
		for k, d := range s.pieces {
			require.EqualValues(t, r.pieces[i][k].Nanoseconds(), d, s.name)
			require.Less(t, time.Duration(d), time.Hour, s.name)
		}
		for _, before := range s.after {
			require.Less(t, before, i, s.name)
		}
		for _, piece := range s.fed {
			fed++
			require.Less(t, piece, len(steps[s.feeder].pieces), s.name)
		}
	}
	require.Positive(t, fed, "dependents come after their islands")
}
