package main

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/short"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// outcome is what one call of the command left behind.
type outcome struct {
	status         int
	stdout, stderr string
	report         report // with -json
}

// command calls the command in this process. With -json among the arguments, standard output must be exactly one object.
func command(t *testing.T, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	o := outcome{status: synthesizer().Run(t.Context(), args, &stdout, &stderr)}
	o.stdout, o.stderr = stdout.String(), stderr.String()
	if slices.Contains(args, "-json") {
		dec := json.NewDecoder(&stdout)
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&o.report), "stdout: %s", o.stdout)
		require.ErrorIs(t, dec.Decode(new(any)), io.EOF, "one object and no more")
	}
	return o
}

// requireLine requires that s is one line that contains want.
func requireLine(t *testing.T, s, want string) {
	t.Helper()
	require.Equal(t, 1, strings.Count(s, "\n"), "one line: %q", s)
	require.True(t, strings.HasSuffix(s, "\n"), "a whole line: %q", s)
	require.Contains(t, s, want)
}

// A script is a clock that moves only when somebody waits, or works, and a little when it is looked at.
type script struct {
	at    time.Time
	slept []time.Duration
}

// glance is how much later it is when somebody looks.
const glance = time.Microsecond

func (s *script) clock() clock {
	return clock{func() time.Time { s.at = s.at.Add(glance); return s.at }, func(d time.Duration) {
		s.at = s.at.Add(d)
		s.slept = append(s.slept, d)
	}}
}
