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
// links, other than the root itself, which is followed once. Make one with Watch. Next is for one
// goroutine at a time, Close for any.
//
// No change is lost: if the operating system drops events, the whole tree is looked at. A file that
// is written while a batch is told is told again.
type Watcher struct {
	o      Options
	events *fsnotify.Watcher
	disk   disk

	// W1 A directory is watched before it is read, so what comes into it is seen by one of the two.
	// W2 files has what was told, so a look at the tree finds what was not.
	// W3 When a directory goes, or another takes its place, the watches at and below its name end,
	// since they may follow it to another name, and what was told below it is looked at again.
	// W4 What is in a directory that is not watched yet counts as gone: it might go unheard before
	// the event comes by which the directory is watched, and read.
	files map[string]stamp // by path below the root
	dirs  map[string]bool  // those that are watched
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
	// What is at the end of a link can be watched, and the link cannot.
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, fmt.Errorf("changes: %w", err)
	}
	if info, err := os.Stat(root); err != nil {
		return nil, fmt.Errorf("changes: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("changes: %w",
			&fs.PathError{Op: "watch", Path: root, Err: errors.New("not a directory")})
	}
	events, err := fsnotify.NewBufferedWatcher(1024)
	if err != nil {
		return nil, fmt.Errorf("changes: %w", err)
	}
	w := newWatcher(system{root, events}, o)
	w.events = events
	if err := w.begin(); err != nil {
		return nil, errors.Join(err, events.Close())
	}
	return w, nil
}

func newWatcher(d disk, o Options) *Watcher {
	return &Watcher{o: o, disk: d, files: map[string]stamp{}, dirs: map[string]bool{},
		dirty: map[string]bool{}}
}

// begin takes what is there at first, which is no change.
func (w *Watcher) begin() error {
	if err := w.scan(".", false); err != nil {
		return err
	}
	w.batch()
	return nil
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
			name, err := w.disk.below(e.Name)
			if err == nil {
				err = w.note(name, e.Op)
			}
			if err != nil {
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
func (w *Watcher) note(name string, op fsnotify.Op) error {
	if w.ignored(name) {
		return nil
	}
	if op&^(fsnotify.Write|fsnotify.Chmod) != 0 {
		w.leave(name)
	}
	if op.Has(fsnotify.Create) && w.disk.isDir(name) {
		if err := w.scan(name, true); err != nil {
			return err
		}
	}
	w.mark(name, op != fsnotify.Chmod)
	return nil
}

// leave is W3, of a name under which there was perhaps a directory.
func (w *Watcher) leave(name string) {
	if !w.dirs[name] {
		return
	}
	for _, dir := range slices.Sorted(maps.Keys(w.dirs)) {
		if within(dir, name) {
			w.disk.forget(dir)
			delete(w.dirs, dir)
		}
	}
	for file := range w.files {
		if within(file, name) {
			w.mark(file, false)
		}
	}
}

// within reports whether a name is that of a directory or of something below it.
func within(name, dir string) bool {
	return dir == "." || name == dir || strings.HasPrefix(name, dir+"/")
}

// mark says that something is to be looked at, and whether its content is known to be another one.
func (w *Watcher) mark(name string, certain bool) {
	if len(w.dirty) == 0 {
		w.since = time.Now()
	}
	w.dirty[name] = w.dirty[name] || certain
}

// everything looks at all there is and was: events were dropped. Of a directory that was moved
// meanwhile the watch has the old name, so all begin anew.
func (w *Watcher) everything() error {
	w.leave(".")
	return w.scan(".", false)
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

// scan watches the directories from one on, and marks all that is there; certain says that it is
// all new.
func (w *Watcher) scan(dir string, certain bool) error {
	if w.mark(dir, certain); len(w.dirty) > w.o.Most {
		return fmt.Errorf("changes: %w: more than %d", ErrLimit, w.o.Most)
	}
	if err := w.disk.watch(dir); err != nil {
		return w.unlessGone(dir, err)
	}
	w.dirs[dir] = true
	names, err := w.disk.list(dir) // W1
	if err != nil {
		return w.unlessGone(dir, err)
	}
	for _, e := range names {
		name := path.Join(dir, e.name)
		switch {
		case w.ignored(name):
		case e.dir:
			if err := w.scan(name, certain); err != nil {
				return err
			}
		default:
			if w.mark(name, certain); len(w.dirty) > w.o.Most {
				return fmt.Errorf("changes: %w: more than %d", ErrLimit, w.o.Most)
			}
		}
	}
	return nil
}

// unlessGone drops an error about a directory that is none any more, of which an event will tell.
func (w *Watcher) unlessGone(dir string, err error) error {
	if !w.disk.isDir(dir) {
		return nil
	}
	return fmt.Errorf("changes: %s: %w", dir, err)
}

// batch returns what has changed of what is marked, sorted by path.
func (w *Watcher) batch() []Change {
	var told []Change
	for _, name := range slices.Sorted(maps.Keys(w.dirty)) {
		certain := w.dirty[name]
		s, there := w.disk.look(name)
		there = there && w.dirs[path.Dir(name)] // W4
		old, was := w.files[name]
		if there {
			w.files[name] = s // W2
		} else {
			delete(w.files, name)
		}
		switch {
		case there && !s.dir:
			if certain || !was || old != s {
				told = append(told, Change{Path: name})
			}
		case was && !old.dir:
			told = append(told, Change{Path: name, Removed: true})
		}
	}
	clear(w.dirty)
	return told
}
