package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var bg = context.Background()

// counter returns a command that counts to -n, and fails or finds something bad if asked.
func counter(arg string) *Command {
	var found struct {
		N   int  `json:"n"`
		Not bool `json:"not"`
	}
	var n int
	return &Command{
		Name: "counter", Arg: arg, Unit: "number", About: "Counts.",
		Flags: func(fs *flag.FlagSet) { fs.IntVar(&n, "n", 3, "count to `N`") },
		Help:  func(w io.Writer) { fmt.Fprintln(w, "numbers: all") },
		Work: func(ctx context.Context, call *Call) error {
			for i := range n {
				if ctx.Err() != nil {
					return fmt.Errorf("at %d: %w", i, ErrInterrupted)
				}
				call.Progress.At("counting", i, n)
			}
			found.N, found.Not = n, call.Arg == "bad"
			switch call.Arg {
			case "fail":
				return errors.New("as asked")
			case "given":
				found.Not = call.Given["n"]
			}
			fmt.Fprintf(call.Text, "n %d\n", n)
			if found.Not {
				return ErrFailed
			}
			return nil
		},
		JSON: func() any { return &found },
	}
}

func TestCommand(t *testing.T) {
	for _, test := range []struct {
		line           string
		status         int
		stdout, stderr string
	}{
		{"", OK, "n 3\n", ""},
		{"-n 5", OK, "n 5\n", ""},
		{"-n 5 -json", OK, `{"n":5,"not":false}` + "\n", "n 5\n"},
		{"-n 5 ARG", OK, "n 5\n", ""},
		{"-n 5 given", Failed, "n 5\n", ""},
		{"given", OK, "n 3\n", ""},
		{"bad", Failed, "n 3\n", ""},
		{"-json bad", Failed, `{"n":3,"not":true}` + "\n", "n 3\n"},
		{"fail", Failed, "", "counter: as asked\n"},
		{"-json fail", Failed, `{"n":3,"not":false}` + "\n", "counter: as asked\n"},
		{"-n x", Usage, "",
			`counter: invalid value "x" for flag -n: parse error (-h lists the flags)` + "\n"},
		{"-m -json", Usage, `{"n":0,"not":false}` + "\n",
			"counter: flag provided but not defined: -m (-h lists the flags)\n"},
		{"a b", Usage, "", `counter: stray argument "b" (-h lists the flags)` + "\n"},
		{"a b -json", Usage, `{"n":0,"not":false}` + "\n",
			`counter: stray argument "b" (-h lists the flags)` + "\n"},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, test.status,
			counter("ARG").Run(bg, strings.Fields(test.line), &stdout, &stderr), test.line)
		require.Equal(t, test.stdout, stdout.String(), test.line)
		require.Equal(t, test.stderr, stderr.String(), test.line)
	}
	var stderr bytes.Buffer
	require.Equal(t, Usage, counter("").Run(bg, []string{"a"}, io.Discard, &stderr))
	require.Equal(t, `counter: stray argument "a" (-h lists the flags)`+"\n", stderr.String(),
		"it takes none")

	silent := counter("")
	silent.JSON = nil
	stderr.Reset()
	require.Equal(t, Usage, silent.Run(bg, []string{"-json"}, io.Discard, &stderr))
	require.Contains(t, stderr.String(), "not defined: -json")
}

// full is a disk with room for so many bytes.
type full struct{ room int }

var errFull = errors.New("no room")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// What does not reach standard output is not done, whoever was to write it.
func TestLostOutputIsAFailure(t *testing.T) {
	for line, status := range map[string]int{"": Failed, "-json": Failed, "-json -m": Usage} {
		var stderr bytes.Buffer
		require.Equal(t, status, counter("").Run(bg, strings.Fields(line), &full{}, &stderr))
		require.Contains(t, stderr.String(), "counter: standard output: no room\n")
	}
	require.Equal(t, OK, counter("").Run(bg, nil, &full{100}, io.Discard))
}

func TestInterruption(t *testing.T) {
	ctx, cancel := context.WithCancel(bg)
	cancel()
	for line, want := range map[string]string{"": "counter: at 0: interrupted\n",
		"-n 0": "n 0\ncounter: interrupted\n"} {
		var out bytes.Buffer
		require.Equal(t, Failed, counter("").Run(ctx, strings.Fields(line), &out, &out))
		require.Equal(t, want, out.String())
	}
}

func TestHelp(t *testing.T) {
	for arg, usage := range map[string]string{"": "usage: counter [flags]\n",
		"ARG": "usage: counter [flags] ARG\n"} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, OK, counter(arg).Run(bg, []string{"-h"}, &stdout, &stderr))
		require.Empty(t, stdout.String())
		require.True(t, strings.HasPrefix(stderr.String(), usage+"\nCounts.\n"), stderr.String())
		require.True(t, strings.HasSuffix(stderr.String(), "\nnumbers: all\n"), stderr.String())
		for _, name := range []string{"n N", "json", "progress"} {
			require.Contains(t, stderr.String(), "\n  -"+name)
		}
	}
}

func TestAsksForJSON(t *testing.T) {
	require.True(t, asksForJSON([]string{"-bogus", "--json=true"}))
	require.False(t, asksForJSON([]string{"-bogus", "-json=false"}))
	require.False(t, asksForJSON([]string{"-bogus", "-json=perhaps"}))
}
