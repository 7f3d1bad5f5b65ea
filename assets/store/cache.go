package store

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"github.com/heddle-go/heddle/assets"
)

// CacheOptions configure a Cache. The zero value is usable.
type CacheOptions struct {
	// Max is how many bytes one blob may have; default 1 GiB.
	Max int64
	// Stale is how old a file must be that somebody began to write and did not finish, for
	// OpenCache to remove it: another process may be writing it. Default one hour.
	Stale time.Duration
	// Unsynced leaves out the fsync before a file gets its name. A power failure may then lose what
	// was put last, which is noticed when it is read.
	Unsynced bool
}

// A Key names something that is built, by all that it is built from. See KeyOf.
type Key = assets.Hash

// KeyOf returns the Key of a list of parts, such as the hash of a source, the platform, and the
// name and version of what builds.
func KeyOf(parts ...string) Key {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		io.WriteString(h, p)
	}
	return Key(h.Sum(nil))
}

// A Cache is a directory of blobs: bytes that are found by their hash. Beside them it has entries,
// each of which says which blob was built for a Key.
//
// Any goroutine may call the methods, and several processes may have one directory open. What Put
// or Set wrote is found, whole, by whoever calls Get or Lookup afterwards, until Trim removes it. A
// Cache loses nothing if the process is killed. What a disk has changed is never returned: Get and
// Lookup compare it with its hash, and remove it.
type Cache struct {
	// C1 A file under blobs/ or built/ gets its name when it is complete, by a rename.
	// C2 Its name says what must be in it, so a reader can tell.
	root *os.Root
	o    CacheOptions
}

const (
	blobs  = "blobs"   // blobs/ab/cdef... is the blob with the hash abcdef...
	built  = "built"   // built/ab/cdef... is the entry of that key
	drafts = "partial" // what is being written
)

// entrySize is the length of an entry: the hash of the blob, and the beginning of a hash of both.
const entrySize = len(assets.Hash{}) + 8

// OpenCache opens the cache in a directory, which it makes if it is not there.
func OpenCache(dir string, o CacheOptions) (*Cache, error) {
	if o.Max < 0 || o.Stale < 0 {
		return nil, fmt.Errorf("store: Max %d and Stale %v must not be negative", o.Max, o.Stale)
	}
	o.Max = cmp.Or(o.Max, 1<<30)
	o.Stale = cmp.Or(o.Stale, time.Hour)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	c := &Cache{root: root, o: o}
	for _, sub := range []string{blobs, built, drafts} {
		if err == nil {
			err = root.MkdirAll(sub, 0o777)
		}
	}
	if err == nil {
		err = c.sweep(o.Stale)
	}
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("store: %w", err)
	}
	return c, nil
}

// Close gives the directory back. The methods fail afterwards.
func (c *Cache) Close() error { return c.root.Close() }

// sweep removes what was being written and is so old that nobody goes on with it.
func (c *Cache) sweep(age time.Duration) error {
	return c.walk(drafts, func(name string, info fs.FileInfo) error {
		if time.Since(info.ModTime()) >= age {
			return gone(c.root.Remove(name))
		}
		return nil
	})
}

// walk calls f for each file below a directory. Those that vanish meanwhile are left out.
func (c *Cache) walk(dir string, f func(name string, info fs.FileInfo) error) error {
	return fs.WalkDir(c.root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return gone(err)
		}
		info, err := d.Info()
		if err != nil {
			return gone(err)
		}
		return f(name, info)
	})
}

// gone drops the error that says that something is not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// place returns the name of the file of a hash.
func place(dir string, h assets.Hash) string {
	digits := hex.EncodeToString(h[:])
	return path.Join(dir, digits[:2], digits[2:])
}

// Put keeps data and returns its hash. What is there already is not written again. The error wraps
// ErrLimit if data is longer than Max.
func (c *Cache) Put(data []byte) (assets.Hash, error) {
	h := assets.HashOf(data)
	if int64(len(data)) > c.o.Max {
		return h, fmt.Errorf("%w: a blob of %d bytes, at most %d", ErrLimit, len(data), c.o.Max)
	}
	name := place(blobs, h)
	if info, err := c.root.Stat(name); err == nil && info.Size() == int64(len(data)) {
		return h, nil
	}
	return h, c.write(name, data)
}

// Get returns the blob of a hash. The error wraps fs.ErrNotExist if there is none, ErrDamaged if
// what is there has another hash, and ErrLimit if it is longer than Max. Who gets the bytes may
// change them.
func (c *Cache) Get(h assets.Hash) ([]byte, error) {
	name := place(blobs, h)
	data, err := c.read(name, c.o.Max)
	if err != nil {
		return nil, fmt.Errorf("store: blob %v: %w", h, err)
	}
	if assets.HashOf(data) != h {
		return nil, errors.Join(fmt.Errorf("%w: blob %v", ErrDamaged, h),
			gone(c.root.Remove(name)))
	}
	return data, nil
}

// Set says that the blob of h was built for a key.
func (c *Cache) Set(key Key, h assets.Hash) error {
	return c.write(place(built, key), entry(key, h))
}

// Lookup returns the hash of what was built for a key. The error wraps fs.ErrNotExist if nothing
// was, or ErrDamaged. The blob may have been trimmed.
func (c *Cache) Lookup(key Key) (assets.Hash, error) {
	name := place(built, key)
	data, err := c.read(name, int64(entrySize))
	if err != nil && !errors.Is(err, ErrLimit) {
		return assets.Hash{}, fmt.Errorf("store: key %v: %w", key, err)
	}
	var h assets.Hash
	copy(h[:], data)
	if !bytes.Equal(data, entry(key, h)) {
		return assets.Hash{}, errors.Join(fmt.Errorf("%w: entry of %v", ErrDamaged, key),
			gone(c.root.Remove(name)))
	}
	return h, nil
}

func entry(key Key, h assets.Hash) []byte {
	sum := sha256.Sum256(append(key[:], h[:]...))
	return append(h[:], sum[:entrySize-len(h)]...)
}

// read returns what is in a file. It notes that the file was of use, for Trim.
func (c *Cache) read(name string, most int64) ([]byte, error) {
	f, err := c.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrLimit, info.Size(), most)
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	// So rarely that it costs nothing, and often enough to tell what is old.
	if now := time.Now(); now.Sub(info.ModTime()) > time.Hour {
		if err := c.root.Chtimes(name, now, now); gone(err) != nil {
			return data, nil // a cache that may only be read
		}
	}
	return data, nil
}

// write makes a file with data in it, whole or not at all. No directory is synced: after a power
// failure the file may be missing, and what is in it is right.
func (c *Cache) write(name string, data []byte) (err error) {
	draft := path.Join(drafts, rand.Text())
	f, err := c.root.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	_, err = f.Write(data)
	if err == nil && !c.o.Unsynced {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		if err = c.root.Rename(draft, name); errors.Is(err, fs.ErrNotExist) {
			if err = c.root.MkdirAll(path.Dir(name), 0o777); err == nil {
				err = c.root.Rename(draft, name) // C1
			}
		}
	}
	if err != nil {
		return fmt.Errorf("store: %w", errors.Join(err, gone(c.root.Remove(draft))))
	}
	return nil
}

// Trim removes the blobs that were of no use for the longest time, until those that are left have
// no more than so many bytes together. It returns how many bytes were removed. An entry whose blob
// is gone leads nowhere, and is removed too.
func (c *Cache) Trim(most int64) (removed int64, err error) {
	type blob struct {
		name string
		size int64
		used time.Time
	}
	var all []blob
	var total int64
	err = c.walk(blobs, func(name string, info fs.FileInfo) error {
		all = append(all, blob{name, info.Size(), info.ModTime()})
		total += info.Size()
		return nil
	})
	slices.SortFunc(all, func(a, b blob) int { return a.used.Compare(b.used) })
	for _, b := range all {
		if err != nil || total <= most {
			break
		}
		if err = gone(c.root.Remove(b.name)); err == nil {
			total -= b.size
			removed += b.size
		}
	}
	if err == nil && removed > 0 {
		err = c.walk(built, func(name string, _ fs.FileInfo) error {
			data, err := c.read(name, int64(entrySize))
			if err == nil && len(data) == entrySize {
				if _, err = c.root.Stat(place(blobs, assets.Hash(data[:sha256.Size]))); err == nil {
					return nil
				}
			}
			return gone(c.root.Remove(name))
		})
	}
	if err != nil {
		return removed, fmt.Errorf("store: %w", err)
	}
	return removed, nil
}

// Check reads all there is. It returns how many blobs and entries are right, and the errors of the
// others, joined, which it removes.
func (c *Cache) Check() (right int, err error) {
	var bad []error
	note := func(err error) {
		if err == nil {
			right++
		} else if gone(err) != nil {
			bad = append(bad, err)
		}
	}
	for dir, check := range map[string]func(assets.Hash) error{
		blobs: func(h assets.Hash) error { _, err := c.Get(h); return err },
		built: func(h assets.Hash) error { _, err := c.Lookup(h); return err },
	} {
		err := c.walk(dir, func(name string, _ fs.FileInfo) error {
			var h assets.Hash
			digits := path.Base(path.Dir(name)) + path.Base(name)
			n, err := hex.Decode(h[:], []byte(digits[:min(len(digits), 2*len(h))]))
			if err != nil || n != len(h) || place(dir, h) != name {
				note(errors.Join(fmt.Errorf("%w: a file %.80q", ErrDamaged, name),
					gone(c.root.Remove(name))))
			} else {
				note(check(h))
			}
			return nil
		})
		if err != nil {
			note(fmt.Errorf("store: %w", err))
		}
	}
	return right, errors.Join(bad...)
}
