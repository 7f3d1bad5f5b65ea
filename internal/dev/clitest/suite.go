package clitest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// OutOfRange requires that each of the command lines is refused because the value of its first flag
// is out of range, with and without -json. The command's name begins what it says.
func OutOfRange[R any](
	t *testing.T, name string, call func(*testing.T, ...string) Outcome[R], lines ...string,
) {
	t.Helper()
	for _, line := range lines {
		args := strings.Fields(line)
		o := refused(t, cli.Failed, call, args)
		about, _, _ := strings.Cut(args[0], "=")
		if !regexp.MustCompile("^" + name + ": " + about + "[ :]").MatchString(o.Stderr) {
			t.Fatalf("%q: it is not said of %s: %q", args, about, o.Stderr)
		}
		Line(t, o.Stderr, ": want ")
	}
}

// Misused requires that none of the command lines is understood, with and without -json. Each of
// them has beside it what the command says of it.
func Misused[R any](
	t *testing.T, call func(*testing.T, ...string) Outcome[R], lines map[string]string,
) {
	t.Helper()
	for line, want := range lines {
		Line(t, refused(t, cli.Usage, call, strings.Fields(line)).Stderr, want)
	}
}

// refused requires a status, no output, and the same status with -json.
func refused[R any](
	t *testing.T, status int, call func(*testing.T, ...string) Outcome[R], args []string,
) Outcome[R] {
	t.Helper()
	o := call(t, args...)
	if o.Status != status || o.Stdout != "" {
		t.Fatalf("%q: status %d, want %d; standard output %q", args, o.Status, status, o.Stdout)
	}
	if o := call(t, append([]string{"-json"}, args...)...); o.Status != status {
		t.Fatalf("%q with -json: status %d, want %d", args, o.Status, status)
	}
	return o
}

// Help requires that -h lists the flags on standard error.
func Help[R any](t *testing.T, call func(*testing.T, ...string) Outcome[R], flags ...string) {
	t.Helper()
	o := call(t, "-h")
	if o.Status != cli.OK || o.Stdout != "" {
		t.Fatalf("status %d, standard output %q", o.Status, o.Stdout)
	}
	for _, name := range flags {
		if !regexp.MustCompile(`(?m)^  -` + name + `\b`).MatchString(o.Stderr) {
			t.Errorf("-%s is not in %q", name, o.Stderr)
		}
	}
}

// key matches a key of a JSON object.
var key = regexp.MustCompile(`"(\w+)":`)

// Keys returns the keys of a JSON text in their order.
func Keys(text string) (keys []string) {
	for _, m := range key.FindAllStringSubmatch(text, -1) {
		keys = append(keys, m[1])
	}
	return keys
}
