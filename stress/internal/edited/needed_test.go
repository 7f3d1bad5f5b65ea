package edited_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/internal/edited"
)

const one = `//go:build some

package p_test

import (
	"fmt"
	"math/rand/v2"
	other "os"
	_ "strings"

	"example.com/nats.go"
)

// TestOne is the test.
func TestOne(t *T) {
	var s scene = &made{nats.Msg{}}
	s.play(rand.IntN(limit))
}

func TestTwo(t *T) { fmt.Println(other.Args) }

func BenchmarkOne(b *B) { unused() }

func unused() { fmt.Println() }
`

const two = `package p_test

// A scene is what is played.
type scene interface{ play(n int) }

type made struct{}

func (*made) play(n int) { deeper() }

func deeper() {}

const (
	first = iota
	limit
)

func TestMain(m *M) { setUp() }

func init() { registered = true }

var registered bool

var _ scene = (*made)(nil)

type left struct{}

func (left) play(n int) {}

func (*Shipped) limit() {}

func (*Shipped) Other() {}

func setUp() {}
`

const three = "package p\n\nfunc TestThree(t *T) {}\n"

// What a test needs is left, whole and in its file, with the imports that it takes; the rest is
// gone.
func TestNeeded(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"one_test.go": one, "two_test.go": two,
		"three_test.go": three, "p.go": "package p\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	texts, err := edited.Needed(dir, "TestOne")
	require.NoError(t, err)
	require.Len(t, texts, 3)
	require.Empty(t, texts[filepath.Join(dir, "three_test.go")])

	first := texts[filepath.Join(dir, "one_test.go")]
	require.True(t, strings.HasPrefix(first, "//go:build some\n\npackage p_test\n"), first)
	for _, has := range []string{`"math/rand/v2"`, `"example.com/nats.go"`, `_ "strings"`,
		"// TestOne is the test.\nfunc TestOne(t *T) {\n\tvar s scene"} {
		require.Contains(t, first, has)
	}
	for _, has := range []string{`"fmt"`, `"os"`, "TestTwo", "BenchmarkOne", "unused"} {
		require.NotContains(t, first, has)
	}
	second := texts[filepath.Join(dir, "two_test.go")]
	for _, has := range []string{
		"// A scene is what is played.\ntype scene", "type made", "func (*made) play",
		"func deeper", "first = iota\n\tlimit",
		"func TestMain", "func init", "var registered", "var _ scene", "func (*Shipped) limit",
		"func setUp",
	} {
		require.Contains(t, second, has)
	}
	for _, has := range []string{"type left", "func (left) play", "Other"} {
		require.NotContains(t, second, has)
	}

	require.NoError(t, os.WriteFile(filepath.Join(dir, "bad_test.go"), []byte("package"), 0o666))
	_, err = edited.Needed(dir, "TestOne")
	require.Error(t, err)
}
