package store_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/store"
)

func openCache(t *testing.T, dir string, o store.CacheOptions) *store.Cache {
	t.Helper()
	c, err := store.OpenCache(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

func TestCacheComesBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "cache")
	c := openCache(t, dir, store.CacheOptions{})
	key := store.KeyOf("source", "android-low", "etc2 3")
	_, err := c.Lookup(key)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = c.Get(assets.HashOf([]byte("pixels")))
	require.ErrorIs(t, err, fs.ErrNotExist)
	for range 2 {
		h, err := c.Put([]byte("pixels"))
		require.NoError(t, err)
		require.Equal(t, assets.HashOf([]byte("pixels")), h)
		require.NoError(t, c.Set(key, h))
	}
	c = openCache(t, dir, store.CacheOptions{})
	h, err := c.Lookup(key)
	require.NoError(t, err)
	data, err := c.Get(h)
	require.NoError(t, err)
	require.Equal(t, "pixels", string(data))
	empty, err := c.Put(nil)
	require.NoError(t, err)
	data, err = c.Get(empty)
	require.NoError(t, err)
	require.Empty(t, data)
	right, err := c.Check()
	require.NoError(t, err)
	require.Equal(t, 3, right)
}

func TestKeysOfOtherPartsDiffer(t *testing.T) {
	require.NotEqual(t, store.KeyOf("ab", "c"), store.KeyOf("a", "bc"))
	require.NotEqual(t, store.KeyOf("a"), store.KeyOf("a", ""))
	require.Equal(t, store.KeyOf("a", "b"), store.KeyOf("a", "b"))
}

// What was changed on the disk is not returned, and makes room for what is right.
func TestCacheFindsDamage(t *testing.T) {
	dir := t.TempDir()
	c := openCache(t, dir, store.CacheOptions{})
	data := []byte("some bytes that were built")
	key := store.KeyOf("k")
	for _, damage := range []func(b []byte) []byte{
		func(b []byte) []byte { return nil },
		func(b []byte) []byte { return b[:len(b)-1] },
		func(b []byte) []byte { return append(b, 0) },
		func(b []byte) []byte { b[3] ^= 1; return b },
	} {
		h, err := c.Put(data)
		require.NoError(t, err)
		require.NoError(t, c.Set(key, h))
		for name, get := range map[string]func() error{
			c.Place(h):          func() error { _, err := c.Get(h); return err },
			c.PlaceOfEntry(key): func() error { _, err := c.Lookup(key); return err },
		} {
			require.NoError(t, get())
			file := filepath.Join(dir, filepath.FromSlash(name))
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file, damage(b), 0o666))
			require.ErrorIs(t, get(), store.ErrDamaged)
			require.ErrorIs(t, get(), fs.ErrNotExist)
		}
	}
	h, err := c.Put(data)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "blobs", "stray"), nil, 0o666))
	require.NoError(t, os.Truncate(filepath.Join(dir, filepath.FromSlash(c.Place(h))), 5))
	right, err := c.Check()
	require.ErrorIs(t, err, store.ErrDamaged)
	require.Zero(t, right)
	_, err = c.Check()
	require.NoError(t, err, "it was removed")
}

func TestCacheLimit(t *testing.T) {
	dir := t.TempDir()
	large := openCache(t, dir, store.CacheOptions{})
	h, err := large.Put(make([]byte, 11))
	require.NoError(t, err)
	c := openCache(t, dir, store.CacheOptions{Max: 10})
	_, err = c.Put(make([]byte, 12))
	require.ErrorIs(t, err, store.ErrLimit)
	_, err = c.Get(h)
	require.ErrorIs(t, err, store.ErrLimit)
	_, err = large.Get(h)
	require.NoError(t, err, "it is not damaged, and stays")
	_, err = store.OpenCache(dir, store.CacheOptions{Max: -1})
	require.Error(t, err)
}

// A blob that leads out of the directory is not followed.
func TestCacheStaysInItsDirectory(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	c := openCache(t, dir, store.CacheOptions{})
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o666))
	h, err := c.Put([]byte("secret"))
	require.NoError(t, err)
	file := filepath.Join(dir, filepath.FromSlash(c.Place(h)))
	require.NoError(t, os.Remove(file))
	if err := os.Symlink(outside, file); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	_, err = c.Get(h)
	require.ErrorContains(t, err, "escapes")
}

func TestTrimKeepsWhatWasOfUse(t *testing.T) {
	dir := t.TempDir()
	c := openCache(t, dir, store.CacheOptions{Unsynced: true})
	var hashes []assets.Hash
	old := time.Now().Add(-100 * time.Hour)
	for i := range 10 {
		h, err := c.Put(fmt.Appendf(nil, "blob %03d.", i))
		require.NoError(t, err)
		require.NoError(t, c.Set(store.KeyOf(fmt.Sprint(i)), h))
		at := old.Add(time.Duration(i) * time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(dir, filepath.FromSlash(c.Place(h))), at, at))
		hashes = append(hashes, h)
	}
	_, err := c.Get(hashes[0])
	require.NoError(t, err)
	removed, err := c.Trim(30)
	require.NoError(t, err)
	require.EqualValues(t, 7*9, removed)
	for i, h := range hashes {
		_, err := c.Get(h)
		_, lookup := c.Lookup(store.KeyOf(fmt.Sprint(i)))
		if i == 0 || i >= 8 {
			require.NoError(t, err, i)
			require.NoError(t, lookup, i)
		} else {
			require.ErrorIs(t, err, fs.ErrNotExist, i)
			require.ErrorIs(t, lookup, fs.ErrNotExist, i)
		}
	}
	removed, err = c.Trim(30)
	require.NoError(t, err)
	require.Zero(t, removed)
}

func TestCacheOfMany(t *testing.T) {
	c := openCache(t, t.TempDir(), store.CacheOptions{Unsynced: true})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 50 {
				data := fmt.Appendf(nil, "blob %d", i)
				h, err := c.Put(data)
				if err == nil {
					err = c.Set(store.KeyOf(string(data)), h)
				}
				if err == nil {
					h, err = c.Lookup(store.KeyOf(string(data)))
				}
				var got []byte
				if err == nil {
					got, err = c.Get(h)
				}
				if err != nil || string(got) != string(data) {
					t.Errorf("%s: %s, %v", data, got, err)
				}
			}
		})
	}
	all.Wait()
	right, err := c.Check()
	require.NoError(t, err)
	require.Equal(t, 100, right)
}
