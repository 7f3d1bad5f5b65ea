package pipes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// A Dir fetches the files of a directory tree. No name and no symbolic link leads out of it.
type Dir struct{ root *os.Root }

// OpenDir returns the Dir of a directory. It must be closed.
func OpenDir(dir string) (*Dir, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("pipes: %w", err)
	}
	return &Dir{root}, nil
}

// Close gives the directory back.
func (d *Dir) Close() error { return d.root.Close() }

// FS returns the tree.
func (d *Dir) FS() fs.FS { return d.root.FS() }

// Fetch implements Fetcher. A name is a path with slashes.
func (d *Dir) Fetch(ctx context.Context, name string, most int64) ([]byte, error) {
	if err := checkPath(name); err != nil {
		return nil, err
	}
	// To open what is no file may take for ever, or do something.
	info, err := d.root.Stat(name)
	if err == nil {
		err = isFile(name, info)
	}
	if err != nil {
		return nil, dirError(err)
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, dirError(err)
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil {
		err = isFile(name, info)
	}
	if err != nil {
		return nil, dirError(err)
	}
	if info.Size() > most {
		return nil, over("bytes of "+name, info.Size(), most)
	}
	return readMore(ctx, name, make([]byte, 0, info.Size()+1), f, most)
}

func isFile(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %q is no file", ErrPath, name)
	}
	return nil
}

func dirError(err error) error {
	switch {
	case errors.Is(err, ErrPath):
		return err
	case strings.Contains(err.Error(), "path escapes"): // os.Root has no error to compare with
		return fmt.Errorf("%w: %w", ErrPath, err)
	}
	return fmt.Errorf("pipes: %w", err)
}

// checkPath refuses a name that is no path with slashes below some root, on any system.
func checkPath(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00") {
		return fmt.Errorf("%w: %.100q", ErrPath, name)
	}
	return nil
}
