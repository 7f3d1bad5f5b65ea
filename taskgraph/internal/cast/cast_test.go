package cast_test

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/cast"
)

var errExit = errors.New("exit")

// begun returns a cast in n places, and how often Over was called.
func begun(n int, meet bool, call func(i int)) (c *cast.Cast, parts []*cast.Part, over *int) {
	over = new(int)
	c = &cast.Cast{Meet: meet, Over: func() { *over++ },
		Thrown: func(v any) error {
			if v == nil {
				return errExit
			}
			return v.(error)
		},
		Parker: func() *park.Parker { return park.New(park.Go) }}
	for i := range n {
		parts = append(parts, &cast.Part{Name: fmt.Sprint("place ", i),
			Call: func() { call(i) }, Recall: func() {}})
	}
	c.Begin(parts)
	return c, parts, over
}

func TestEachHolderCalls(t *testing.T) {
	var ran []int
	c, parts, over := begun(3, false, func(i int) { ran = append(ran, i) })
	require.Equal(t, []string{"place 0", "place 1", "place 2"}, c.Awaited())
	for _, p := range parts {
		p.Come()
		p.Come() // again: nothing
	}
	require.Equal(t, []int{0, 1, 2}, ran)
	require.Zero(t, *over, "before whoever began has told all")
	c.Leave()
	require.Equal(t, 1, *over)
	require.True(t, c.IsOver())
	require.Empty(t, c.Missing())
}

func TestWithdrawnPartIsNotCalled(t *testing.T) {
	recalled := 0
	c, parts, over := begun(2, false, func(int) {})
	parts[1].Recall = func() { recalled++ }
	parts[0].Come()
	c.Withdraw()
	c.Withdraw()
	parts[1].Come()
	c.Leave()
	require.True(t, parts[1].IsWithdrawn())
	require.Equal(t, 1, recalled)
	require.Equal(t, []string{"place 1"}, c.Missing())
	require.Equal(t, 1, *over)
	require.False(t, c.IsCalledOff(), "which is said of meetings only")
}

func TestMeetingIsForAll(t *testing.T) {
	var mu sync.Mutex
	var ran int
	c, parts, over := begun(3, true, func(int) {
		mu.Lock()
		defer mu.Unlock()
		ran++
	})
	c.Leave()
	var holders sync.WaitGroup
	for _, p := range parts {
		holders.Go(p.Come)
	}
	holders.Wait()
	require.Equal(t, 3, ran)
	require.Equal(t, 1, *over)
	c.Withdraw() // too late
	require.False(t, c.IsCalledOff())
}

func TestMeetingIsCalledOff(t *testing.T) {
	hang.Watch(t)
	for inTime := false; !inTime; {
		c, parts, over := begun(2, true, func(int) { t.Error("a call") })
		c.Leave()
		var holders sync.WaitGroup
		holders.Go(parts[0].Come)
		for len(c.Running()) == 0 {
			runtime.Gosched()
		}
		c.Withdraw()
		parts[1].Come()
		holders.Wait()
		require.True(t, c.IsCalledOff())
		require.Equal(t, 1, *over)
		// Who is stopped between its first step and its arrival comes late, and is missing too.
		inTime = len(c.Missing()) == 1
		require.Equal(t, []string{"place 0", "place 1"}[len(parts)-len(c.Missing()):], c.Missing())
	}
}

// A holder that quits counts as one that has come, and one whose call panics or ends its goroutine
// as one that is over.
func TestHoldersThatFail(t *testing.T) {
	boom := errors.New("boom")
	var left atomics.Int32
	c, parts, over := begun(3, true, func(i int) {
		if i == 0 {
			panic(boom)
		}
		runtime.Goexit()
	})
	for _, p := range parts {
		p.Enter, p.Leave = func() {}, func() { left.Add(1) }
	}
	c.Leave()
	parts[2].Quit()
	var holders sync.WaitGroup
	holders.Go(func() { parts[1].Come() })
	for len(c.Running()) == 0 {
		runtime.Gosched()
	}
	parts[0].Come()
	holders.Wait()
	var all []error
	for err := range c.Failures {
		all = append(all, err)
	}
	require.ElementsMatch(t, []error{boom, errExit}, all)
	require.Equal(t, 1, *over)
	require.EqualValues(t, 2, left.Load())
}
