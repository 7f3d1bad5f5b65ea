package changes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Options configure a Watcher. The zero value is usable.
type Options struct {
	// Quiet is how long nothing must happen until a batch is told, for a file that is written in
	// several steps to be told once; default 50 ms.
	Quiet time.Duration
	// Longest is the longest time from the first change of a batch until it is told; default 1 s.
	Longest time.Duration
	// Ignore, if not nil, says which files and directories are of no interest, by their path below
	// the root. Default: those whose name begins with a dot or ends in "~".
	Ignore func(name string) bool
	// Most is how many files and directories are watched; default 1 Mi.
	Most int
}

// A Change says what has become of a file.
type Change struct {
	Path    string // with slashes, below the root
	Removed bool   // it is gone; else it is new or may have other content
}

// ErrLimit is wrapped if a tree has more files than Options.Most.
var ErrLimit = errors.New("changes: too many files")

// A Watcher watches a directory tree: also directories that come later, but not through symbolic
// links. Make one with Watch. Next is for one goroutine at a time, Close for any.
//
// No change is lost: if the operating system drops events, the whole tree is looked at. A file that
// is written while a batch is told is told again.
type Watcher struct {
	root   string
	o      Options
	events *fsnotify.Watcher

	// W1 A directory is watched before it is read, so what comes into it is seen by one of the two.
	// W2 files has what was told, so a look at the tree finds what was not.
	files map[string]stamp // by path below the root
	// dirty has the paths to be looked at for the next batch, true where an event said that the
	// content is another one: a file may be written twice without a stamp that tells.
	dirty map[string]bool
	since time.Time // of the first of them
}

// A stamp is what tells that a file is another one.
type stamp struct {
	size int64
	time time.Time
	dir  bool
}

// Watch begins to watch the tree of a directory. What happens after it has returned is told. The
// Watcher must be closed.
func Watch(root string, o Options) (*Watcher, error) {
	o.Quiet = cmp.Or(o.Quiet, 50*time.Millisecond)
	o.Longest = cmp.Or(o.Longest, time.Second)
	o.Most = cmp.Or(o.Most, 1<<20)
	if o.Ignore == nil {
		o.Ignore = hidden
	}
	events, err := fsnotify.NewBufferedWatcher(1024)
	if err != nil {
		return nil, fmt.Errorf("changes: %w", err)
	}
	w := &Watcher{root: root, o: o, events: events, files: map[string]stamp{},
		dirty: map[string]bool{}}
	info, err := os.Stat(root)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "watch", Path: root, Err: errors.New("not a directory")}
	}
	if err == nil {
		err = w.scan(".")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("changes: %w", err), events.Close())
	}
	w.batch() // what is there at first is no change
	return w, nil
}

// hidden is the default of Options.Ignore.
func hidden(name string) bool {
	base := path.Base(name)
	return base[0] == '.' || base[len(base)-1] == '~'
}

// Close ends the Watcher. A Next that waits returns fs.ErrClosed.
func (w *Watcher) Close() error { return w.events.Close() }

// Next waits for changes, and returns those that came together, sorted by path. It returns the
// cause of the end of ctx, and fs.ErrClosed after Close.
func (w *Watcher) Next(ctx context.Context) ([]Change, error) {
	quiet := time.NewTimer(time.Hour)
	defer quiet.Stop()
	for {
		if len(w.dirty) > 0 {
			quiet.Reset(max(min(w.o.Quiet, time.Until(w.since.Add(w.o.Longest))), 0))
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case e, ok := <-w.events.Events:
			if !ok {
				return nil, fs.ErrClosed
			}
			if err := w.note(e); err != nil {
				return nil, err
			}
		case err, ok := <-w.events.Errors:
			if !ok {
				return nil, fs.ErrClosed
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return nil, fmt.Errorf("changes: %w", err)
			}
			if err := w.everything(); err != nil {
				return nil, err
			}
		case <-quiet.C:
			if len(w.dirty) == 0 {
				quiet.Reset(time.Hour)
			} else if batch := w.batch(); len(batch) > 0 {
				return batch, nil
			}
		}
	}
}

// note takes an event. A directory that is new is watched.
func (w *Watcher) note(e fsnotify.Event) error {
	rel, err := filepath.Rel(w.root, e.Name)
	if err != nil {
		return fmt.Errorf("changes: %w", err)
	}
	name := filepath.ToSlash(rel)
	if w.ignored(name) {
		return nil
	}
	if e.Has(fsnotify.Create) {
		if info, err := os.Lstat(e.Name); err == nil && info.IsDir() {
			if err := w.scan(name); err != nil {
				return err
			}
		}
	}
	w.mark(name, e.Op != fsnotify.Chmod)
	return nil
}

// mark says that something is to be looked at, and whether its content is known to be another one.
func (w *Watcher) mark(name string, certain bool) {
	if len(w.dirty) == 0 {
		w.since = time.Now()
	}
	w.dirty[name] = w.dirty[name] || certain
}

// everything marks what there is and was: events were dropped.
func (w *Watcher) everything() error {
	for name := range w.files {
		w.mark(name, false)
	}
	return w.scan(".")
}

// ignored reports whether a name or a directory above it is of no interest.
func (w *Watcher) ignored(name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if w.o.Ignore(name) {
			return true
		}
	}
	return false
}

func (w *Watcher) full(name string) string {
	return filepath.Join(w.root, filepath.FromSlash(name))
}

// scan watches the directories from one on, and marks all that is there.
func (w *Watcher) scan(dir string) error {
	err := filepath.WalkDir(w.full(dir), func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return gone(err)
		}
		rel, err := filepath.Rel(w.root, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		if w.ignored(name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if w.mark(name, false); len(w.dirty) > w.o.Most {
			return fmt.Errorf("%w: more than %d", ErrLimit, w.o.Most)
		}
		if d.IsDir() { // W1: WalkDir reads it afterwards
			if err := gone(w.events.Add(file)); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("changes: %w", err)
	}
	return nil
}

// gone drops the error that says that something is not there any more.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// look returns the stamp of a file or directory.
func (w *Watcher) look(name string) (stamp, bool) {
	info, err := os.Stat(w.full(name))
	if err != nil {
		return stamp{}, false
	}
	return stamp{info.Size(), info.ModTime(), info.IsDir()}, true
}

// batch returns what has changed of what is marked.
func (w *Watcher) batch() []Change {
	told := map[string]Change{}
	for name, certain := range w.dirty {
		s, there := w.look(name)
		old, was := w.files[name]
		switch {
		case there:
			w.files[name] = s // W2
			if !s.dir && (certain || !was || old != s) {
				told[name] = Change{Path: name}
			}
		case was:
			w.remove(name, old, told)
		}
	}
	clear(w.dirty)
	return slices.SortedFunc(maps.Values(told), func(a, b Change) int {
		return cmp.Compare(a.Path, b.Path)
	})
}

// remove tells that a file is gone, or all files of a directory.
func (w *Watcher) remove(name string, was stamp, told map[string]Change) {
	delete(w.files, name)
	if !was.dir {
		told[name] = Change{Path: name, Removed: true}
		return
	}
	for below, s := range w.files {
		if name == "." || strings.HasPrefix(below, name+"/") {
			if _, there := w.look(below); there {
				continue
			}
			delete(w.files, below)
			if !s.dir {
				told[below] = Change{Path: below, Removed: true}
			}
		}
	}
}
