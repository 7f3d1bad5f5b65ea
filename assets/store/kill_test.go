package store_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
	"github.com/heddle-go/heddle/internal/dev/seed"
)

// victimDir is the variable that makes of this test's program one that writes to a store, until it
// is killed.
const victimDir = "STORE_VICTIM_DIR"

// perRound is how many resources one Put has.
const perRound = 40

// round returns the resources of a round: the same IDs each time, all with the number of the round.
func round(n int64) []assets.Info {
	infos := make([]assets.Info, perRound)
	for i := range infos {
		infos[i] = full(assets.ID(fmt.Sprint("resource ", i)))
		infos[i].Size = n
	}
	return infos
}

// blob returns what is built in a round: sometimes little, sometimes so much that it takes several
// writes of the kernel.
func blob(n int64) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "round %d ", n), 1+int(n*n%9001))
}

// victim writes rounds to a store for ever. It says each step when it is done.
func victim(dir string) {
	check := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	fmt.Println("begun")
	c, err := store.OpenCache(filepath.Join(dir, "cache"), store.CacheOptions{})
	check(err)
	r, err := store.OpenRegistry(filepath.Join(dir, "registry"))
	check(err)
	n := int64(0)
	if g, ok := r.GUID("resource 0"); ok {
		info, _ := r.Info(g)
		n = info.Size
	}
	for {
		n++
		h, err := c.Put(blob(n))
		check(err)
		check(c.Set(store.KeyOf(fmt.Sprint(n)), h))
		fmt.Println("cached", n)
		check(r.Put(round(n)...))
		fmt.Println("put", n)
		if n%5 == 0 { // a resource of the round goes, and another one comes
			check(r.Delete(assets.MakeGUID("resource 0")))
			check(r.Put(round(n)[0]))
		}
		if n%7 == 0 {
			_, err := c.Trim(1 << 20)
			check(err)
		}
	}
}

// A process that writes is killed again and again, at any moment, also while it makes the files,
// and each time all is there that it had said is there. In the long form 200 times.
func TestKilled(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes here")
	}
	kills := 10
	if !testing.Short() {
		kills = 200
	}
	random := seed.Rand(t, 0)
	dir := t.TempDir()
	rounds, torn := int64(0), 0
	for i := range kills {
		if i%10 == 9 { // from the very beginning
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, os.MkdirAll(dir, 0o777))
		}
		cached, put := killed(t, dir, random)
		last := inspectStore(t, dir, cached, put)
		rounds, torn = max(rounds, last), torn+left(t, dir)
	}
	t.Logf("%d kills, at most %d rounds in one store, %d files half written", kills, rounds, torn)
}

// killed runs a victim, kills it, and returns the last round that it said was cached, and put.
func killed(t *testing.T, dir string, random *rand.Rand) (cached, put int64) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimDir+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	// How many lines to wait for and how long then decides where the kill falls, not whether the
	// test passes.
	begun := lines.Scan()
	for range random.IntN(12) {
		if !lines.Scan() {
			break
		}
		note(t, lines.Text(), &cached, &put)
	}
	time.Sleep(time.Duration(random.Int64N(int64(4 * time.Millisecond))))
	require.NoError(t, cmd.Process.Kill())
	for lines.Scan() { // what it said before it was dead
		note(t, lines.Text(), &cached, &put)
	}
	require.NoError(t, lines.Err())
	require.Error(t, cmd.Wait())
	require.True(t, begun, "the process has not begun")
	return cached, put
}

func note(t *testing.T, line string, cached, put *int64) {
	what, number, _ := strings.Cut(line, " ")
	n, err := strconv.ParseInt(number, 10, 64)
	switch {
	case what == "cached" && err == nil:
		*cached = n
	case what == "put" && err == nil:
		*put = n
	case what == "error":
		t.Fatalf("the process failed: %s", line)
	}
}

// inspectStore requires that the store of a killed process is consistent and has all that it said.
// It returns the last round.
func inspectStore(t *testing.T, dir string, cached, put int64) (last int64) {
	r := openRegistry(t, filepath.Join(dir, "registry"))
	sizes := map[int64]int{}
	for info := range r.All() {
		n := info.Size
		want := full(info.ID)
		want.Size = n
		require.Equal(t, want, info)
		sizes[n]++
		last = max(last, n)
	}
	require.NoError(t, r.Close())
	require.LessOrEqual(t, len(sizes), 1, "half a round: %v", sizes)
	if n := sizes[last]; n != perRound && n != 0 {
		require.Equal(t, perRound-1, n)
		require.Zero(t, last%5, "a resource is missing")
	}
	require.GreaterOrEqual(t, last, put)

	c, err := store.OpenCache(filepath.Join(dir, "cache"), store.CacheOptions{})
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Check()
	require.NoError(t, err)
	if cached > 0 {
		h, err := c.Lookup(store.KeyOf(fmt.Sprint(cached)))
		require.NoError(t, err)
		data, err := c.Get(h)
		require.NoError(t, err)
		require.Equal(t, blob(cached), data)
	}
	return last
}

// left counts what was being written, and removes it.
func left(t *testing.T, dir string) int {
	files, err := filepath.Glob(filepath.Join(dir, "cache", "partial", "*"))
	require.NoError(t, err)
	c, err := store.OpenCache(filepath.Join(dir, "cache"), store.CacheOptions{})
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.Sweep())
	return len(files)
}
