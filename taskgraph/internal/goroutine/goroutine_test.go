package goroutine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIDTellsGoroutinesApart(t *testing.T) {
	here := ID()
	require.NotZero(t, here)
	require.Equal(t, here, ID())
	there := make(chan uint64)
	go func() { there <- ID() }()
	require.NotEqual(t, here, <-there)
}

func TestParseGoroutine(t *testing.T) {
	for trace, want := range map[string]uint64{
		"goroutine 17 [running]:\nmain.f()": 17, "goroutine 17": 0, "goroutine x [running]": 0,
		"thread 1 [running]": 0, "": 0,
	} {
		id, _ := parseGoroutine([]byte(trace))
		require.Equal(t, want, id, trace)
	}
}

func TestStacksOfThoseAskedFor(t *testing.T) {
	require.Nil(t, Stacks(nil))
	id, over := make(chan uint64), make(chan struct{})
	go func() {
		id <- ID()
		<-over
	}()
	there := <-id
	stacks := Stacks(map[uint64]bool{there: true})
	over <- struct{}{}
	require.Len(t, stacks, 1)
	require.Contains(t, stacks, there)
}

func TestTrimFrames(t *testing.T) {
	frames := func(functions ...string) string {
		for i, f := range functions {
			functions[i] = f + "()\n\tfile.go:1"
		}
		return strings.Join(functions, "\n")
	}
	ours, body := Library+".(*runner).execute", "main.body"
	require.Equal(t, frames(body),
		trimFrames(frames("runtime.gopark", ours, body, ours, "runtime.goexit")))
	require.Equal(t, frames("sync.(*Mutex).Lock", body),
		trimFrames(frames("sync.(*Mutex).Lock", body)))
	require.Equal(t, frames(body),
		trimFrames(frames("sync.(*Mutex).Lock", Library+"/internal/kernel.f", body)))
	require.Equal(t, frames(Library+".g"), trimFrames(frames(ours, Library+".g")),
		"something is left")
	many := make([]string, maxFrames+3)
	for i := range many {
		many[i] = body
	}
	require.True(t, strings.HasSuffix(trimFrames(frames(many...)), "\nand 3 more frames"))
	all := many[:maxFrames] // which frames has written out, with their files
	require.Equal(t, strings.Join(all, "\n"), trimFrames(strings.Join(all, "\n")))
	require.True(t, strings.HasSuffix(Library, "/taskgraph"))
}
