package atomics_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module   = "github.com/heddle-go/heddle/"
	testdata = "internal/atomics/testdata/"

	seam    = module + "internal/atomics"
	public  = module + "stress/modelcheck/atomic"
	wrapped = module + testdata + "wrapped"
)

// TestMachineCodeIsThatOfSyncAtomic holds the promise that the seam costs nothing: the same
// text, compiled over sync/atomic, over the seam, and over the public name of the seam,
// gives the same instructions, function by function, in concrete code, in generic code, and
// in generic code that another package instantiates. Struct wrappers do not, which shows that
// the comparison can fail.
//
// The compiler is asked for its listing; nothing is run, so any machine can check them all. In
// short form it checks its own.
func TestMachineCodeIsThatOfSyncAtomic(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command to compile with")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	readSources(t, filepath.Join(root, "stress", "modelcheck", "atomic"))
	readSources(t, "testdata")

	for _, arch := range []struct {
		name   string
		atomic *regexp.Regexp // one instruction that an atomic addition comes down to
	}{
		{"amd64", regexp.MustCompile(`^LOCK$`)},
		{"arm64", regexp.MustCompile(`^(LDADDALW|LDAXRW)\b`)},
		// not inlined by the compiler there
		{"386", regexp.MustCompile(`^CALL sync/atomic\.AddUint32\b`)},
		{"riscv64", regexp.MustCompile(`^AMOADDW\b`)},
	} {
		t.Run(arch.name, func(t *testing.T) {
			if testing.Short() && arch.name != runtime.GOARCH {
				t.Skip("another machine")
			}
			list := func(over string) map[string][]string {
				return listing(t, goCommand, root, arch.name, over)
			}
			want := list("sync/atomic")
			require.Greater(t, len(want), 100, "functions in the listing")
			add := want["words: "+module+testdata+"words.Uint32Add"]
			require.True(t, slices.ContainsFunc(add, arch.atomic.MatchString),
				"the listing is not understood: no atomic instruction in %q", add)

			for _, over := range []string{seam, public} {
				if diff := differences(want, list(over)); len(diff) > 0 {
					t.Errorf("over %s, %d functions differ:\n%s", over, len(diff),
						strings.Join(diff[:min(len(diff), 5)], "\n"))
				}
			}
			generic := func(diff string) bool {
				return strings.Contains(diff, "words.(*Stack[go.shape")
			}
			require.True(t, slices.ContainsFunc(differences(want, list(wrapped)), generic),
				"wrapped words cost nothing in generic code: the comparison sees nothing")
		})
	}
}

func TestDifferences(t *testing.T) {
	one := map[string][]string{"f": {"MOVL AX, BX", "RET"}}
	require.Empty(t, differences(one, map[string][]string{"f": {"MOVL AX, BX", "RET"}}))
	require.Len(t, differences(one, map[string][]string{"f": {"MOVL AX, CX", "RET"}}), 1)
	require.Len(t, differences(one, map[string][]string{"f": {"MOVL AX, BX"}}), 1)
	require.Len(t, differences(one, map[string][]string{"f": {"MOVL AX, BX", "RET", "RET"}}), 1)
	require.Len(t, differences(one, map[string][]string{"g": {"MOVL AX, BX", "RET"}}), 2)
}

// readSources opens the files of a folder, so that the go command does not take the result
// of this test from its cache after one of them changed.
func readSources(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = os.ReadFile(name)
		}
		return err
	}))
}

// listing compiles testdata/words over a package in place of sync/atomic, and testdata/user,
// and returns the instructions of each function. The go command is shown another text of the
// same file, because the path of a package goes into the names of its symbols.
func listing(t *testing.T, goCommand, root, arch, over string) map[string][]string {
	t.Helper()
	const std = `"sync/atomic"`
	words := filepath.Join(root, filepath.FromSlash(testdata), "words", "words.go")
	text, err := os.ReadFile(words)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), std), "imports of sync/atomic in words.go")
	text = []byte(strings.Replace(string(text), std, fmt.Sprintf("atomic %q", over), 1))

	temp := t.TempDir()
	other := filepath.Join(temp, "words.go")
	require.NoError(t, os.WriteFile(other, text, 0o600))
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{words: other}})
	require.NoError(t, err)
	overlay := filepath.Join(temp, "overlay.json")
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))

	cmd := exec.Command(goCommand, "build", "-overlay="+overlay, "-gcflags=-S",
		"./"+testdata+"words", "./"+testdata+"user")
	cmd.Dir = root
	// An ordinary build, however this test was built itself. But if all is compiled without what a
	// debugger reads, as in CI, so is what is not listed here, which is in the cache then.
	const lean = "-gcflags=all=-dwarf=false"
	flags := "GOFLAGS="
	if slices.Contains(strings.Fields(os.Getenv("GOFLAGS")), lean) {
		flags += lean
	}
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0", flags,
		"GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out[:min(len(out), 4000)])
	}
	return parse(t, out)
}

// parse reads the compiler's listing of some packages. It drops places in the source, and
// tables for the collector and for tracebacks, which are not executed. An instruction is a line
// of tab, offset, place in parentheses, tab, code.
func parse(t *testing.T, out []byte) map[string][]string {
	t.Helper()
	listed := map[string][]string{}
	var name, function string
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "# ") {
			name, function = path.Base(line), ""
			continue
		}
		_, code, ok := strings.Cut(line, ")\t")
		if !ok || !strings.HasPrefix(line, "\t0x") {
			continue
		}
		switch op, rest, _ := strings.Cut(code, "\t"); op {
		case "TEXT":
			symbol, _, _ := strings.Cut(rest, "(SB)")
			function = name + ": " + symbol
		case "PCDATA", "FUNCDATA":
			continue
		}
		if function == "" {
			t.Fatalf("an instruction outside of any function: %s", line)
		}
		listed[function] = append(listed[function], strings.ReplaceAll(code, "\t", " "))
	}
	require.NoError(t, lines.Err())
	return listed
}

// differences says of each function that differs where it does first.
func differences(want, got map[string][]string) (found []string) {
	names := map[string]bool{}
	for _, of := range []map[string][]string{want, got} {
		for name := range of {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		w, g := want[name], got[name]
		if slices.Equal(w, g) {
			continue
		}
		at := 0
		for at < len(w) && at < len(g) && w[at] == g[at] {
			at++
		}
		from := max(at-2, 0)
		clip := func(code []string) string {
			return strings.Join(code[min(from, len(code)):min(at+6, len(code))], "\n\t\t")
		}
		found = append(found,
			fmt.Sprintf(
				"%s (%d and %d instructions), from instruction %d:\n\tsync/atomic\n\t\t%s\n\tthere\n\t\t%s",
				name, len(w), len(g), from, clip(w), clip(g)))
	}
	return found
}
