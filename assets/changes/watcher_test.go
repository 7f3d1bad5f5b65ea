package changes_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets/changes"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	stresswatch "github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) { stresswatch.Main(m) }

// A tree is a directory that is watched.
type tree struct {
	t    *testing.T
	dir  string
	w    *changes.Watcher
	told map[string]bool // before, and whether it was removed
}

func watch(t *testing.T, o changes.Options, files ...string) *tree {
	r := &tree{t: t, dir: t.TempDir(), told: map[string]bool{}}
	for _, f := range files {
		r.write(f, "old")
	}
	var err error
	r.w, err = changes.Watch(r.dir, o)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.w.Close()) })
	return r
}

func (r *tree) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *tree) write(name, text string) {
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(name)), 0o777))
	require.NoError(r.t, os.WriteFile(r.path(name), []byte(text), 0o666))
}

// until collects batches until each of the changes was told, and returns all that were, the last of
// each path. What was told before may be told again, where an event of it came late.
func (r *tree) until(want ...changes.Change) map[string]bool {
	r.t.Helper()
	told := map[string]bool{}
	wanted := func(path string) bool {
		return slices.ContainsFunc(want, func(c changes.Change) bool { return c.Path == path })
	}
	missing := func() bool {
		for _, c := range want {
			if removed, ok := told[c.Path]; !ok || removed != c.Removed {
				return true
			}
		}
		return false
	}
	for missing() {
		batch, err := r.w.Next(context.Background())
		require.NoError(r.t, err)
		require.NotEmpty(r.t, batch)
		for i, c := range batch {
			require.True(r.t, i == 0 || batch[i-1].Path < c.Path, "sorted, each once: %v", batch)
			if removed, ok := r.told[c.Path]; !ok || removed != c.Removed || wanted(c.Path) {
				told[c.Path] = c.Removed
			}
		}
	}
	maps.Copy(r.told, told)
	return told
}

func changed(path string) changes.Change { return changes.Change{Path: path} }
func removed(path string) changes.Change { return changes.Change{Path: path, Removed: true} }

func TestWatcher(t *testing.T) {
	r := watch(t, changes.Options{}, "a", "models/b", "models/c")
	r.write("models/b", "new")
	require.Equal(t, map[string]bool{"models/b": false}, r.until(changed("models/b")))

	// As editors save: another file takes its place.
	r.write("a~", "newer")
	require.NoError(t, os.Rename(r.path("a~"), r.path("a")))
	require.Equal(t, map[string]bool{"a": false}, r.until(changed("a")))

	require.NoError(t, os.Remove(r.path("models/c")))
	require.Equal(t, map[string]bool{"models/c": true}, r.until(removed("models/c")))

	require.NoError(t, os.Rename(r.path("a"), r.path("d")))
	require.Equal(t, map[string]bool{"a": true, "d": false}, r.until(removed("a"), changed("d")))
}

// Many writes of one file, and many files, are few batches.
func TestChangesCoalesce(t *testing.T) {
	r := watch(t, changes.Options{}, "a", "z")
	for i := range 100 {
		r.write("a", fmt.Sprint(i))
	}
	r.write("z", "last")
	require.Equal(t, map[string]bool{"a": false, "z": false}, r.until(changed("a"), changed("z")))
}

// Directories that come later are watched, with what was in them before that.
func TestNewDirectories(t *testing.T) {
	r := watch(t, changes.Options{})
	var want []changes.Change
	for i := range 20 {
		name := fmt.Sprintf("new%d/deep/er/file", i)
		r.write(name, "text")
		want = append(want, changed(name))
	}
	require.Len(t, r.until(want...), 20)
	r.write("new7/deep/er/file", "again")
	r.until(changed("new7/deep/er/file"))

	require.NoError(t, os.RemoveAll(r.path("new7")))
	r.until(removed("new7/deep/er/file"))
	r.write("new7/deep/er/file", "once more")
	r.until(changed("new7/deep/er/file"))
	r.write("new7/deep/er/second", "and watched")
	r.until(changed("new7/deep/er/second"))

	moved := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.Rename(r.path("new8"), moved))
	r.until(removed("new8/deep/er/file"))
	require.NoError(t, os.Rename(moved, r.path("new9/back")))
	r.until(changed("new9/back/deep/er/file"))
}

func TestIgnored(t *testing.T) {
	r := watch(t, changes.Options{}, ".git/a", "b")
	r.write(".git/a", "new")
	r.write(".git/c/d", "new")
	r.write(".hidden", "new")
	r.write("b~", "new")
	r.write("b", "new")
	require.Equal(t, map[string]bool{"b": false}, r.until(changed("b")))
}

func TestWatcherEnds(t *testing.T) {
	r := watch(t, changes.Options{}, "a")
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	_, err := r.w.Next(ctx)
	require.ErrorIs(t, err, cause)

	ended := make(chan error)
	go func() {
		_, err := r.w.Next(context.Background())
		ended <- err
	}()
	require.NoError(t, r.w.Close())
	require.ErrorIs(t, <-ended, fs.ErrClosed)
}

func TestWatchFails(t *testing.T) {
	dir := t.TempDir()
	_, err := changes.Watch(filepath.Join(dir, "none"), changes.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	for i := range 5 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o666))
	}
	_, err = changes.Watch(filepath.Join(dir, "0"), changes.Options{})
	require.Error(t, err)
	_, err = changes.Watch(dir, changes.Options{Most: 4})
	require.ErrorIs(t, err, changes.ErrLimit)
	w, err := changes.Watch(dir, changes.Options{Most: 6})
	require.NoError(t, err)
	require.NoError(t, w.Close())
}

// After events were dropped the tree is looked at: what differs is told, and nothing else.
func TestDroppedEvents(t *testing.T) {
	r := watch(t, changes.Options{}, "a", "b", "c")
	require.NoError(t, r.w.Deaf())
	r.write("a", "of another size")
	r.write("d/e", "new")
	require.NoError(t, os.Remove(r.path("b")))
	require.NoError(t, r.w.Overflow())
	require.Equal(t, map[string]bool{"a": false, "b": true, "d/e": false},
		r.until(changed("a"), removed("b"), changed("d/e")))
	r.write("a", "is heard again")
	require.Equal(t, map[string]bool{"a": false}, r.until(changed("a")))
}

// A directory whose place another one takes is told as the files that were in it and are not in the
// other.
func TestDirectoriesAreSwapped(t *testing.T) {
	r := watch(t, changes.Options{}, "d/a", "d/b", "d/deep/c")
	other := filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.MkdirAll(filepath.Join(other, "sub"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(other, "b"), []byte("other"), 0o666))
	require.NoError(t, os.Rename(r.path("d"), filepath.Join(t.TempDir(), "old")))
	require.NoError(t, os.Rename(other, r.path("d")))
	told := r.until(changed("d/b"))
	require.Equal(t, map[string]bool{"d/a": true, "d/b": false, "d/deep/c": true}, told)
}

// A file takes the place of a directory, and a directory that of a file: what was there is told.
func TestDirectoryBecomesAFile(t *testing.T) {
	r := watch(t, changes.Options{}, "d/a", "d/deep/c")
	require.NoError(t, os.Rename(r.path("d"), filepath.Join(t.TempDir(), "old")))
	r.write("d", "file")
	require.Equal(t, map[string]bool{"d/a": true, "d": false, "d/deep/c": true},
		r.until(changed("d")))
}

func TestFileBecomesADirectory(t *testing.T) {
	r := watch(t, changes.Options{}, "d")
	require.NoError(t, os.Remove(r.path("d")))
	r.write("d/a", "new")
	require.Equal(t, map[string]bool{"d/a": false, "d": true}, r.until(changed("d/a")))
}

// A link to the tree is followed.
func TestRootIsALink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("other"), 0o666))
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	w, err := changes.Watch(link, changes.Options{})
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	require.NoError(t, err)
	r := &tree{t: t, dir: link, w: w, told: map[string]bool{}}
	t.Cleanup(func() { require.NoError(t, r.w.Close()) })
	r.write("a", "new")
	require.Equal(t, map[string]bool{"a": false}, r.until(changed("a")))
}

// A directory that was moved is watched under its new name, and so is what is in it.
func TestMovedDirectoryIsWatched(t *testing.T) {
	r := watch(t, changes.Options{}, "d/a", "d/deep/c")
	require.NoError(t, os.Rename(r.path("d"), r.path("e")))
	r.until(changed("e/a"), changed("e/deep/c"), removed("d/a"), removed("d/deep/c"))
	r.write("e/a", "new")
	r.until(changed("e/a"))
	r.write("e/deep/c", "new")
	r.until(changed("e/deep/c"))
}

// So it is if the events of its move were dropped.
func TestMovedThenOverflow(t *testing.T) {
	r := watch(t, changes.Options{}, "d/a", "d/deep/c")
	require.NoError(t, r.w.Deaf())
	require.NoError(t, os.Rename(r.path("d"), r.path("e")))
	require.NoError(t, r.w.Overflow())
	r.until(changed("e/a"), changed("e/deep/c"), removed("d/a"), removed("d/deep/c"))
	r.write("e/a", "new")
	r.until(changed("e/a"))
	r.write("e/deep/c", "new")
	r.until(changed("e/deep/c"))
}
