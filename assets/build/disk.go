package build

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/assets/store"
)

// partial begins the names of files that are being written.
const partial = ".partial-"

// before returns the files of an earlier build, sorted.
func before(to string) ([]string, error) {
	file := filepath.Join(to, RegistryName)
	if _, err := os.Stat(file); err == nil {
		r, err := store.OpenRegistry(file)
		if err != nil {
			return nil, err
		}
		var old []string
		for info := range r.All() {
			old = append(old, info.Path)
			for _, v := range info.Variants {
				old = append(old, v.Path)
			}
		}
		slices.Sort(old)
		return slices.Compact(old), r.Close()
	}
	there, err := os.ReadDir(to)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(there) == 0 {
		return nil, nil
	}
	if err == nil {
		err = &fs.PathError{Op: "build", Path: to, Err: errors.New(
			"neither empty nor from an earlier build")}
	}
	return nil, err
}

// read returns a file of the tree.
func (b *builder) read(name string) ([]byte, error) {
	f, err := b.from.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, b.o.Limits.Bytes+1))
	if err == nil && int64(len(data)) > b.o.Limits.Bytes {
		err = fmt.Errorf("%w: more than %d bytes", pipes.ErrLimit, b.o.Limits.Bytes)
	}
	return data, err
}

// write makes a file, whole or not at all.
func (b *builder) write(name string, data []byte) error {
	if dir := path.Dir(name); dir != "." {
		if err := b.to.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	draft := partial + rand.Text()
	err := b.to.WriteFile(draft, data, 0o666)
	if err == nil {
		err = b.to.Rename(draft, name)
	}
	if err != nil {
		_ = b.to.Remove(draft)
	}
	return err
}

// finish writes the registry, and removes what an earlier build had and this one has not.
func (b *builder) finish(to string, infos []assets.Info, old []string) error {
	written := make(map[string]bool, len(b.steps))
	for _, s := range b.steps {
		if s.err != nil {
			b.report.Failures = append(b.report.Failures, Failure{s.id, s.path, s.err})
		} else {
			written[s.out] = true
		}
	}
	for _, name := range old {
		if written[name] || !fs.ValidPath(name) {
			continue
		}
		if err := b.to.Remove(name); err == nil {
			b.report.Removed++
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	var out []assets.Info
	for _, info := range infos {
		s := b.by[info.Path]
		if s.err != nil {
			continue
		}
		info.Path, info.Hash, info.Size, info.Format = s.out, s.hash, s.size, s.format(info.Format)
		variants := info.Variants
		info.Variants = nil
		for _, v := range variants {
			if s := b.by[v.Path]; s.err == nil {
				v.Path, v.Hash, v.Size, v.Format = s.out, s.hash, s.size, s.format(v.Format)
				info.Variants = append(info.Variants, v)
			}
		}
		out = append(out, info)
	}
	draft := partial + rand.Text()
	r, err := store.OpenRegistry(filepath.Join(to, draft))
	if err != nil {
		return err
	}
	if err = errors.Join(r.Put(out...), r.Close()); err == nil {
		err = b.to.Rename(draft, RegistryName)
	}
	if err != nil {
		_ = b.to.Remove(draft)
	}
	return err
}
