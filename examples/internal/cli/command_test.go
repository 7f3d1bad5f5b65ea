package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// found is a report.
type found struct {
	N   int  `json:"n"`
	Not bool `json:"not"`
}

func (f *found) Bad() bool { return f.Not }

func (f *found) Table(w io.Writer) error {
	_, err := fmt.Fprintf(w, "n %d\n", f.N)
	return err
}

// counter returns a command that counts to -n, and fails or finds something bad if asked.
func counter(arg string) *Command {
	var f found
	var n int
	return &Command{
		Name: "counter", Arg: arg, Unit: "number",
		Flags: func(fs *flag.FlagSet) { fs.IntVar(&n, "n", 3, "count to `N`") },
		Work: func(arg string, show *Progress, _ io.Writer) error {
			for i := range n {
				show.At("counting", i, n)
			}
			show.Clear()
			f.N, f.Not = n, arg == "bad"
			if arg == "fail" {
				return errors.New("as asked")
			}
			return nil
		},
		Report: func() Report { return &f },
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
		{"-n 5 -json", OK, `{"n":5,"not":false}` + "\n", ""},
		{"-n 5 ARG", OK, "n 5\n", ""},
		{"bad", Failed, "n 3\n", ""},
		{"-json bad", Failed, `{"n":3,"not":true}` + "\n", ""},
		{"fail", Failed, "", "counter: as asked\n"},
		{"-json fail", Failed, `{"n":3,"not":false}` + "\n", "counter: as asked\n"},
		{"-n x", Usage, "", `counter: invalid value "x" for flag -n: parse error (-h lists the flags)` + "\n"},
		{"-m -json", Usage, `{"n":0,"not":false}` + "\n", "counter: flag provided but not defined: -m (-h lists the flags)\n"},
		{"a b", Usage, "", `counter: stray argument "b" (-h lists the flags)` + "\n"},
		{"a b -json", Usage, `{"n":0,"not":false}` + "\n", `counter: stray argument "b" (-h lists the flags)` + "\n"},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, test.status, counter("ARG").Main(strings.Fields(test.line), &stdout, &stderr), test.line)
		require.Equal(t, test.stdout, stdout.String(), test.line)
		require.Equal(t, test.stderr, stderr.String(), test.line)
	}
	var stderr bytes.Buffer
	require.Equal(t, Usage, counter("").Main([]string{"a"}, io.Discard, &stderr))
	require.Equal(t, `counter: stray argument "a" (-h lists the flags)`+"\n", stderr.String(), "it takes none")
}

func TestHelp(t *testing.T) {
	for arg, usage := range map[string]string{"": "usage: counter [flags]\n", "ARG": "usage: counter [flags] ARG\n"} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, OK, counter(arg).Main([]string{"-h"}, &stdout, &stderr))
		require.Empty(t, stdout.String())
		require.True(t, strings.HasPrefix(stderr.String(), usage), stderr.String())
		for _, name := range []string{"n N", "json", "progress"} {
			require.Contains(t, stderr.String(), "\n  -"+name)
		}
	}
}

func TestAsksForJSON(t *testing.T) {
	require.True(t, AsksForJSON([]string{"-bogus", "--json=true"}))
	require.False(t, AsksForJSON([]string{"-bogus", "-json=false"}))
	require.False(t, AsksForJSON([]string{"-bogus", "-json=perhaps"}))
}
