package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// A File is a file that a command writes. It is made before the work, so that a wrong path is told
// at once, beside the place where it belongs, and moved there when it is whole: until then a file
// that is there stays as it is. A nil File is one that nobody asked for.
type File struct {
	flag string
	f    *os.File
	name string // where it belongs; empty once it is there, or if f is that already
}

// Create makes the file for a flag that names it; with an empty name it returns nil.
func Create(flag, name string) (*File, error) {
	if name == "" {
		return nil, nil
	}
	f, err := create(name)
	if err != nil {
		return nil, fmt.Errorf("-%s: %w", flag, err)
	}
	f.flag = flag
	return f, nil
}

func create(name string) (*File, error) {
	asked, mode := name, fs.FileMode(0o666)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("is a directory")}
	default:
		// What may not be written is not replaced either, and what is no ordinary file has no other
		// in its place.
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil || !info.Mode().IsRegular() {
			return &File{f: f}, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
		mode = info.Mode().Perm()
	}
	for {
		temporary := filepath.Join(filepath.Dir(name),
			fmt.Sprintf(".%s.%08x", filepath.Base(name), rand.Uint32()))
		f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if wrong, ok := errors.AsType[*fs.PathError](err); ok {
			wrong.Path = asked
		}
		return &File{f: f, name: name}, err
	}
}

// Write fills the file and puts it in its place.
func (f *File) Write(fill func(w io.Writer) error) error {
	if f == nil {
		return nil
	}
	err := fill(f.f)
	if closed := f.f.Close(); err == nil {
		err = closed
	}
	if err == nil && f.name != "" {
		if err = os.Rename(f.f.Name(), f.name); err == nil {
			f.name = ""
		}
	}
	if err != nil {
		err = fmt.Errorf("-%s: %w", f.flag, err)
	}
	return errors.Join(err, f.Close())
}

// Close removes the file if it is not whole. It may be called at any time, and twice.
func (f *File) Close() error {
	if f == nil {
		return nil
	}
	_ = f.f.Close() // nothing that was written counts, or it is closed
	if f.name == "" {
		return nil
	}
	f.name = ""
	return os.Remove(f.f.Name())
}

// WriteFile makes a file and fills it.
func WriteFile(flag, name string, fill func(w io.Writer) error) error {
	f, err := Create(flag, name)
	if err != nil {
		return err
	}
	return f.Write(fill)
}

// A Path is the value of a flag that names a file.
type Path struct{ Flag, Name string }

// Distinct fails if two flags name the same file. Those with an empty name do not count.
func Distinct(paths ...Path) error {
	for i, p := range paths {
		for _, q := range paths[:i] {
			if p.Name != "" && q.Name != "" && SamePath(p.Name, q.Name) {
				return fmt.Errorf("%s and %s name one file, %s", q.Flag, p.Flag, p.Name)
			}
		}
	}
	return nil
}

// SamePath reports whether two names are of one file, whether it is there or not.
func SamePath(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return infoA.Mode()&fs.ModeDevice == 0 && os.SameFile(infoA, infoB)
	}
	return place(a) == place(b)
}

// place is a name without links and detours, as far as what it names is there.
func place(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(dir, filepath.Base(name))
	}
	return name
}
