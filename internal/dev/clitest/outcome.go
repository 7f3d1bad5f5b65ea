package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// A Runner is a command that can be called without a process of its own.
type Runner interface {
	Run(ctx context.Context, args []string, stdout, stderr io.Writer) (status int)
}

// An Outcome is what one call of a command left behind. R is the type of its report.
type Outcome[R any] struct {
	Status         int
	Stdout, Stderr string
	Report         R // with -json
}

// Call calls a command. With -json among the arguments, standard output must be exactly one object
// with the keys of R.
func Call[R any](t *testing.T, c Runner, args ...string) Outcome[R] {
	t.Helper()
	var stdout, stderr bytes.Buffer
	o := Outcome[R]{Status: c.Run(t.Context(), args, &stdout, &stderr)}
	o.Stdout, o.Stderr = stdout.String(), stderr.String()
	if !slices.Contains(args, "-json") {
		return o
	}
	dec := json.NewDecoder(&stdout)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o.Report); err != nil {
		t.Fatalf("%q: %v; standard output: %s", args, err, o.Stdout)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		t.Fatalf("%q: want one object and no more; standard output: %s", args, o.Stdout)
	}
	return o
}

// Line requires that s is one whole line that contains want.
func Line(t *testing.T, s, want string) {
	t.Helper()
	if strings.Count(s, "\n") != 1 || !strings.HasSuffix(s, "\n") || !strings.Contains(s, want) {
		t.Fatalf("want one line that contains %q, got %q", want, s)
	}
}
