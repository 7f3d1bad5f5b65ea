package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSet(t *testing.T) {
	one, two := counter("WHAT"), counter("")
	one.Name, two.Name, two.Usage = "set one", "set two", "set two [-n N]"
	s := &Set{Name: "set", About: "Counts in two ways.", Commands: []*Command{one, two}}
	const none = "set: want a command first (-h lists them)\n"
	for _, test := range []struct {
		line           string
		status         int
		stdout, stderr string
	}{
		{"one", OK, "n 3\n", ""},
		{"one -n 5 given", Failed, "n 5\n", ""},
		{"one given -n 5", Failed, "n 5\n", ""},
		{"one given -n 5 more", Usage, "", "set one: stray argument \"more\" (-h lists the flags)\n"},
		{"two -n 4 -json", OK, "{\"n\":4,\"not\":false}\n", "n 4\n"},
		{"two more", Usage, "", "set two: stray argument \"more\" (-h lists the flags)\n"},
		{"", Usage, "", none},
		{"-n 5 one", Usage, "", none},
		{"three", Usage, "", "set: no command \"three\" (-h lists them)\n"},
	} {
		var stdout, stderr bytes.Buffer
		status := s.Run(bg, strings.Fields(test.line), &stdout, &stderr)
		require.Equal(t, test.status, status, test.line)
		require.Equal(t, test.stdout, stdout.String(), test.line)
		require.Equal(t, test.stderr, stderr.String(), test.line)
	}
	for _, line := range []string{"-h", "--help", "help"} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, OK, s.Run(bg, []string{line}, &stdout, &stderr))
		require.Empty(t, stdout.String())
		for _, want := range []string{"usage: set COMMAND", "in two ways", "set one [flags] WHAT",
			"set two [-n N]\n", "-progress"} {
			require.Contains(t, stderr.String(), want)
		}
	}
}
