package changes

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// A disk is what a Watcher asks of the operating system. Names are paths below the root, with
// slashes; "." is the root.
type disk interface {
	// below returns the name of what an event is about.
	below(file string) (name string, err error)
	// watch asks for the events of what is in a directory. If its watch is already there under
	// another name, since it was moved, that name stays.
	watch(dir string) error
	// forget ends the watch that has a name, if there is one.
	forget(dir string)
	// list returns what is in a directory.
	list(dir string) ([]entry, error)
	// isDir reports whether a name is that of a directory, and not of a link to one.
	isDir(name string) bool
	// look returns the stamp of a file or directory, through links, and whether it is there.
	look(name string) (stamp, bool)
}

// An entry is something in a directory.
type entry struct {
	name string
	dir  bool // and no link to one
}

// A system is a tree of the operating system.
type system struct {
	root   string
	events *fsnotify.Watcher
}

func (s system) full(name string) string {
	return filepath.Join(s.root, filepath.FromSlash(name))
}

func (s system) below(file string) (string, error) {
	rel, err := filepath.Rel(s.root, file)
	if err != nil {
		return "", fmt.Errorf("changes: %w", err)
	}
	return filepath.ToSlash(rel), nil
}

func (s system) watch(dir string) error { return s.events.Add(s.full(dir)) }

// A watch that cannot be ended has ended with its directory.
func (s system) forget(dir string) { _ = s.events.Remove(s.full(dir)) }

func (s system) list(dir string) (all []entry, err error) {
	found, err := os.ReadDir(s.full(dir))
	for _, d := range found {
		all = append(all, entry{d.Name(), d.IsDir()})
	}
	return all, err
}

func (s system) isDir(name string) bool {
	info, err := os.Lstat(s.full(name))
	return err == nil && info.IsDir()
}

func (s system) look(name string) (stamp, bool) {
	info, err := os.Stat(s.full(name))
	if err != nil {
		return stamp{}, false
	}
	return stamp{info.Size(), info.ModTime(), info.IsDir()}, true
}
