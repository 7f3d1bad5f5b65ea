package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/heddle-go/heddle/assets"
)

// A Registry is an assets.Registry that a file keeps. All of it is in memory as well, where GUID,
// Info and All find it as they do in assets.NewMemory: without a lock, and without the file.
//
// Put and Delete are written to the file, whole or not at all, before anybody finds what they
// change, and wait for the disk: many resources in one call take little longer than one. One
// process at a time has the file.
type Registry struct {
	// R1 A record is in the file before its resource is in seen, and is out of it before.
	// R2 Writers are one at a time, so the file has the changes in the order in which seen has.
	seen  assets.Registry
	write sync.Mutex // Put, Delete and Close
	db    *bolt.DB
}

// lockTime is how long to wait for another process that has the file.
const lockTime = time.Second

var bucket = []byte("resources")

// OpenRegistry opens the registry in a file, and makes an empty one if there is no such file. The
// error wraps ErrLocked or ErrDamaged.
func OpenRegistry(file string) (*Registry, error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = create(file)
	} else if err == nil && info.Size() == 0 { // bbolt would write to it
		return nil, fmt.Errorf("%w: %s is empty", ErrDamaged, file)
	}
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := inspect(file); err != nil {
		return nil, err
	}
	db, err := open(file, false)
	if err != nil {
		return nil, err
	}
	r := &Registry{db: db}
	if r.seen, err = load(db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return r, nil
}

func open(file string, readOnly bool) (*bolt.DB, error) {
	// Without a list of free pages in the file none can be wrong; all pages are read here anyway.
	db, err := bolt.Open(file, 0o666, &bolt.Options{Timeout: lockTime, ReadOnly: readOnly,
		NoFreelistSync: true, FreelistType: bolt.FreelistMapType})
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("%w: %s", ErrLocked, file)
	case errors.As(err, new(syscall.Errno)):
		return nil, fmt.Errorf("store: %w", err)
	case err != nil: // what bbolt finds when it looks at the file
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, file, err)
	}
	return db, nil
}

// create makes an empty registry. The file gets its name when it is complete: bbolt could not open
// one that it had only begun.
func create(file string) (err error) {
	dir := filepath.Dir(file)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(dir, filepath.Base(file)+".new-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	draft := filepath.Join(temp, "registry")
	db, err := open(draft, false)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket(bucket)
		return err
	})
	if err = errors.Join(err, db.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, leaves alone what another process has made meanwhile.
	if err = os.Link(draft, file); errors.Is(err, fs.ErrExist) {
		return nil
	} else if err != nil {
		if err = os.Rename(draft, file); err != nil {
			return err
		}
	}
	return syncDir(dir)
}

// inspect looks at each page of a file that is not to be trusted: it may have been cut off, or
// written over. bbolt maps the file and panics, or faults, at what cannot be.
func inspect(file string) (err error) {
	db, err := open(file, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return guard(file, func() error {
		return db.View(func(tx *bolt.Tx) error {
			info, err := os.Stat(file)
			if err != nil {
				return fmt.Errorf("store: %w", err)
			}
			if info.Size() < tx.Size() {
				return fmt.Errorf("%w: %s has %d bytes of %d", ErrDamaged, file, info.Size(),
					tx.Size())
			}
			b := tx.Bucket(bucket)
			if b == nil {
				return fmt.Errorf("%w: %s is no registry", ErrDamaged, file)
			}
			var last []byte
			return b.ForEach(func(key, record []byte) error {
				if len(key) != len(assets.GUID{}) || bytes.Compare(last, key) >= 0 ||
					!intact(record) {
					return fmt.Errorf("%w: %s: record of %x", ErrDamaged, file, key)
				}
				last = key
				return nil
			})
		})
	})
}

// guard calls f, and makes an error of a panic or of a fault in mapped memory.
func guard(file string, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %s: %v", ErrDamaged, file, p)
		}
	}()
	return f()
}

// load returns what a file holds, in memory. Whose ID has gone over to another resource comes
// first, so that the ID leads to that one, or nowhere.
func load(db *bolt.DB) (assets.Registry, error) {
	var all, bare []assets.Info
	err := guard(db.Path(), func() error {
		return db.View(func(tx *bolt.Tx) error {
			return tx.Bucket(bucket).ForEach(func(key, value []byte) error {
				info, noID, err := readRecord(assets.GUID(key), value)
				if noID {
					bare = append(bare, info)
				} else {
					all = append(all, info)
				}
				return err
			})
		})
	})
	if err != nil {
		return nil, err
	}
	seen, err := assets.NewMemory(bare...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	nobody := assets.GUID{15: 1}
	for _, i := range bare {
		if err = seen.Put(assets.Info{ID: i.ID, GUID: nobody}); err == nil {
			err = seen.Delete(nobody)
		}
	}
	if err = errors.Join(err, seen.Put(all...)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return seen, nil
}

// Close gives the file back. What is in memory can still be found; Put and Delete fail.
func (r *Registry) Close() error {
	r.write.Lock()
	defer r.write.Unlock()
	return r.db.Close()
}

// GUID implements assets.Registry.
func (r *Registry) GUID(id assets.ID) (assets.GUID, bool) { return r.seen.GUID(id) }

// Info implements assets.Registry.
func (r *Registry) Info(g assets.GUID) (assets.Info, bool) { return r.seen.Info(g) }

// All implements assets.Registry.
func (r *Registry) All() iter.Seq[assets.Info] { return r.seen.All() }

// A draft is a record that is about to be written.
type draft struct {
	info assets.Info
	noID bool // its ID leads to another resource, or nowhere
}

// Put implements assets.Registry. After an error nothing has been put.
func (r *Registry) Put(infos ...assets.Info) error {
	r.write.Lock()
	defer r.write.Unlock()
	drafts := make(map[assets.GUID]draft, len(infos))
	owners := make(map[assets.ID]assets.GUID, len(infos))
	named := slices.Clone(infos)
	for i := range named {
		info := &named[i]
		if info.ID == "" {
			return errors.New("store: a resource without an ID")
		}
		if info.GUID == (assets.GUID{}) {
			info.GUID = assets.MakeGUID(info.ID)
		}
		owner, ok := owners[info.ID]
		if !ok {
			owner, ok = r.seen.GUID(info.ID)
		}
		if ok && owner != info.GUID {
			loser, there := drafts[owner]
			if !there {
				loser.info, there = r.seen.Info(owner)
			}
			// Another ID: the one that it had when it lost this one.
			if there && loser.info.ID == info.ID {
				drafts[owner] = draft{loser.info, true}
			}
		}
		owners[info.ID] = info.GUID
		drafts[info.GUID] = draft{*info, false}
	}
	err := r.update(func(b *bolt.Bucket) error {
		var record []byte
		for _, g := range slices.SortedFunc(maps.Keys(drafts), compare) {
			d := drafts[g]
			// bbolt keeps the value until the end of the transaction.
			record = appendRecord(record[len(record):], &d.info, d.noID)
			if err := b.Put(g[:], record); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.seen.Put(named...) // R1, R2
}

func compare(a, b assets.GUID) int { return bytes.Compare(a[:], b[:]) }

// Delete implements assets.Registry. After an error nothing has been deleted.
func (r *Registry) Delete(guids ...assets.GUID) error {
	r.write.Lock()
	defer r.write.Unlock()
	err := r.update(func(b *bolt.Bucket) error {
		for _, g := range slices.SortedFunc(slices.Values(guids), compare) {
			if err := b.Delete(g[:]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return r.seen.Delete(guids...) // R1, R2
}

// update changes the file, whole or not at all.
func (r *Registry) update(f func(*bolt.Bucket) error) error {
	err := r.db.Update(func(tx *bolt.Tx) error { return f(tx.Bucket(bucket)) })
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return nil
}
