//go:build modelcheck

package changes

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"testing"

	"github.com/fsnotify/fsnotify"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// A world is a tree of files and those who watch it, at one moment. What is there is never changed:
// each step makes another world.
type world struct {
	items   map[string]item
	watches map[int]watched // by their numbers, which are never used again
	raw     []happened      // what the kernel has to tell
	dropped bool            // and that it could not tell all
	gaps    bool            // which it has once said
	last    int             // of inodes, contents and watches
}

// An item is a file or a directory.
type item struct {
	inode   int
	dir     bool
	content int // another one for each write
}

// A watched is a directory that is watched, with its name at that time.
type watched struct {
	inode int
	name  string
}

// A happened is an event as the kernel has it: of a watch, and not of a name.
type happened struct {
	watch int
	base  string // or "" if it is about the directory itself
	op    fsnotify.Op
}

// A heard is an event as the Watcher gets it.
type heard struct {
	name string
	op   fsnotify.Op
}

// queued is how many events the kernel keeps until it drops them.
const queued = 8

// parent returns the directory that something would be in, and whether there is such a one.
func (x *world) parent(name string) (item, bool) {
	p, ok := x.items[path.Dir(name)]
	return p, ok && p.dir
}

// watch returns the number of the watch of a directory.
func (x *world) watch(dir item) (int, bool) {
	for n, w := range x.watches {
		if w.inode == dir.inode {
			return n, true
		}
	}
	return 0, false
}

// tell queues an event for a directory that is watched.
func (x *world) tell(dir item, base string, op fsnotify.Op) {
	watch, ok := x.watch(dir)
	if !ok {
		return
	}
	if len(x.raw) >= queued {
		x.dropped = true
		return
	}
	x.raw = append(x.raw, happened{watch, base, op})
}

// below returns the names of something and of all that is in it, the deepest last.
func (x *world) below(name string) []string {
	all := slices.Sorted(maps.Keys(x.items))
	return slices.DeleteFunc(all, func(s string) bool { return !within(s, name) })
}

// translate takes the oldest event and says it as fsnotify does, which knows a directory by the
// name under which it was first watched, and ends the watch of one that moves.
func (x *world) translate() (h heard, ok bool) {
	e := x.raw[0]
	x.raw = x.raw[1:]
	w, ok := x.watches[e.watch]
	if !ok {
		return h, false
	}
	if e.base == "" {
		delete(x.watches, e.watch)
		return heard{w.name, e.op}, e.op == fsnotify.Rename
	}
	return heard{path.Join(w.name, e.base), e.op}, true
}

// A fake is a disk in memory. One thread changes the tree and another one watches it.
type fake struct {
	now  atomics.Pointer[world]
	told []heard // what fsnotify has told and the Watcher has not read
}

// change makes a step; f gets a world of its own to change, and says whether it did.
func (d *fake) change(f func(x *world) bool) bool {
	for {
		old := d.now.Load()
		x := &world{maps.Clone(old.items), maps.Clone(old.watches), slices.Clone(old.raw),
			old.dropped, old.gaps, old.last}
		if !f(x) {
			return false
		}
		if d.now.CompareAndSwap(old, x) {
			return true
		}
	}
}

func (d *fake) below(file string) (string, error) { return file, nil }

func (d *fake) watch(dir string) error {
	// fsnotify reads ahead of the Watcher.
	ahead := modelcheck.Choose(2) == 1
	var read []heard
	ok := d.change(func(x *world) bool {
		read = nil
		for ahead && len(x.raw) > 0 {
			if h, ok := x.translate(); ok {
				read = append(read, h)
			}
		}
		at, ok := x.items[dir]
		if !ok || !at.dir {
			return false
		}
		if _, ok := x.watch(at); !ok {
			x.forget(dir)
			x.last++
			x.watches[x.last] = watched{at.inode, dir}
		}
		return true
	})
	if !ok {
		return errors.New("there is no such directory")
	}
	d.told = append(d.told, read...)
	return nil
}

func (d *fake) forget(dir string) {
	d.change(func(x *world) bool { return x.forget(dir) })
}

func (x *world) forget(dir string) bool {
	n := len(x.watches)
	maps.DeleteFunc(x.watches, func(_ int, w watched) bool { return w.name == dir })
	return len(x.watches) < n
}

func (d *fake) list(dir string) (all []entry, err error) {
	x := d.now.Load()
	if at, ok := x.items[dir]; !ok || !at.dir {
		return nil, errors.New("there is no such directory")
	}
	for _, name := range x.below(dir) {
		if name != dir && name != "." && path.Dir(name) == dir {
			all = append(all, entry{path.Base(name), x.items[name].dir})
		}
	}
	return all, nil
}

func (d *fake) isDir(name string) bool { return d.now.Load().items[name].dir }

func (d *fake) look(name string) (stamp, bool) {
	i, ok := d.now.Load().items[name]
	return i.stamp(), ok
}

// stamp is the same for some contents.
func (i item) stamp() stamp { return stamp{size: int64(i.content / 16), dir: i.dir} }

// next returns the next event.
func (d *fake) next() (h heard, dropped, ok bool) {
	if len(d.told) == 0 {
		d.change(func(x *world) bool {
			h, dropped, ok = heard{}, false, false
			for len(x.raw) > 0 && !ok {
				h, ok = x.translate()
			}
			if ok {
				return true
			}
			dropped, x.dropped = x.dropped, false
			x.gaps = x.gaps || dropped
			return dropped
		})
		return h, dropped, ok
	}
	h, d.told = d.told[0], d.told[1:]
	return h, false, true
}

// An act is what somebody does to the tree.
type act struct{ what, name, to string }

func (a act) String() string { return fmt.Sprint(a.what, " ", a.name, " ", a.to) }

// do does it, unless that is impossible.
func (d *fake) do(a act) (done bool) {
	switch a.what {
	case "write":
		return d.change(func(x *world) bool { return x.write(a.name) })
	case "mkdir":
		return d.change(func(x *world) bool { return x.mkdir(a.name) })
	case "move":
		return d.change(func(x *world) bool { return x.move(a.name, a.to) })
	case "out":
		return d.change(func(x *world) bool { return x.out(a.name) })
	case "in":
		return d.change(func(x *world) bool { return x.in(a.name) })
	case "remove":
		all := d.now.Load().below(a.name)
		for _, name := range slices.Backward(all) {
			done = d.change(func(x *world) bool { return x.remove(name) }) || done
		}
	}
	return done
}

func (x *world) write(name string) bool {
	dir, ok := x.parent(name)
	at, there := x.items[name]
	if !ok || at.dir {
		return false
	}
	x.last++
	if !there {
		at = item{inode: x.last}
		x.tell(dir, path.Base(name), fsnotify.Create)
	}
	at.content = x.last
	x.items[name] = at
	x.tell(dir, path.Base(name), fsnotify.Write)
	return true
}

func (x *world) mkdir(name string) bool {
	dir, ok := x.parent(name)
	if _, there := x.items[name]; !ok || there {
		return false
	}
	x.last++
	x.items[name] = item{inode: x.last, dir: true}
	x.tell(dir, path.Base(name), fsnotify.Create)
	return true
}

// move is rename: a file takes the place of a file, and a directory that of nothing.
func (x *world) move(name, to string) bool {
	from, ok1 := x.parent(name)
	into, ok2 := x.parent(to)
	at, there := x.items[name]
	gone, taken := x.items[to]
	if !ok1 || !ok2 || !there || within(to, name) || taken && (at.dir || gone.dir) {
		return false
	}
	for _, old := range x.below(name) {
		i := x.items[old]
		delete(x.items, old)
		x.items[to+old[len(name):]] = i
	}
	x.tell(from, path.Base(name), fsnotify.Rename)
	x.tell(into, path.Base(to), fsnotify.Create)
	if at.dir {
		x.tell(at, "", fsnotify.Rename)
	}
	return true
}

// out moves something out of the tree.
func (x *world) out(name string) bool {
	from, ok := x.parent(name)
	at, there := x.items[name]
	if !ok || !there {
		return false
	}
	for _, old := range x.below(name) {
		delete(x.items, old)
	}
	x.tell(from, path.Base(name), fsnotify.Rename)
	if at.dir {
		x.tell(at, "", fsnotify.Rename)
	}
	return true
}

// in moves a directory with a file and another one into the tree.
func (x *world) in(name string) bool {
	into, ok := x.parent(name)
	if _, there := x.items[name]; !ok || there {
		return false
	}
	for _, below := range []string{"", "/a", "/s", "/s/d"} {
		x.last++
		i := item{inode: x.last, content: x.last}
		if below == "" || below == "/s" {
			i = item{inode: x.last, dir: true}
		}
		x.items[name+below] = i
	}
	x.tell(into, path.Base(name), fsnotify.Create)
	return true
}

// remove removes a file or an empty directory.
func (x *world) remove(name string) bool {
	dir, ok := x.parent(name)
	at, there := x.items[name]
	if !ok || !there || len(x.below(name)) > 1 {
		return false
	}
	delete(x.items, name)
	x.tell(dir, path.Base(name), fsnotify.Remove)
	if at.dir {
		x.tell(at, "", fsnotify.Remove)
	}
	return true
}

// A reader is a program that loads each file again of which it is told.
type reader struct {
	d    *fake
	w    *Watcher
	seen map[string]int // the content of each file
}

func (r *reader) load(batch []Change) {
	for _, c := range batch {
		if at, ok := r.d.now.Load().items[c.Path]; ok && !at.dir && !c.Removed {
			r.seen[c.Path] = at.content
		} else {
			delete(r.seen, c.Path)
		}
	}
}

// hear takes one event, and reports whether there was one.
func (r *reader) hear(m *modelcheck.Model) bool {
	h, dropped, ok := r.d.next()
	var err error
	switch {
	case ok:
		err = r.w.note(h.name, h.op)
	case dropped:
		err = r.w.everything()
	}
	m.Assert(err == nil, "it fails: %v", err)
	return ok || dropped
}

// newFake returns a disk with a directory in another one and a file in each.
func newFake() *fake {
	d := new(fake)
	d.now.Store(&world{items: map[string]item{".": {0, true, 0}, "d": {1, true, 0},
		"d/a": {2, false, 2}, "d/s": {3, true, 0}, "d/s/c": {4, false, 4}, "f": {5, false, 5}},
		watches: map[int]watched{}, last: 5})
	return d
}

// watches has acts done to a tree while it is watched. Batches are told early and late. In the end,
// when all has been told, the reader knows what is there.
func watches(m *modelcheck.Model, acts []act) {
	d := newFake()
	r := &reader{d: d, w: newWatcher(d, Options{Ignore: hidden, Most: 100}),
		seen: map[string]int{"d/a": 2, "d/s/c": 4, "f": 5}}
	m.Assert(r.w.begin() == nil, "it does not begin")
	m.Thread(func() {
		for _, a := range acts {
			modelcheck.Note(a.String)
			d.do(a)
		}
	})
	m.Thread(func() {
		for range 4 {
			r.hear(m)
			if modelcheck.Choose(2) == 1 {
				r.load(r.w.batch())
			}
		}
	})
	m.After(func() {
		for r.hear(m) {
		}
		r.load(r.w.batch())
		x := d.now.Load()
		for name, i := range x.items {
			if content, ok := r.seen[name]; !i.dir {
				same := content == i.content ||
					x.gaps && item{content: content}.stamp() == i.stamp()
				m.Assert(ok && same, "%s is not known: %v", name, acts)
			}
		}
		for name := range r.seen {
			i, ok := x.items[name]
			m.Assert(ok && !i.dir, "%s is gone, and nobody says so: %v", name, acts)
		}
	})
}

// TestModelWatcher: no change is lost, whatever somebody does to the tree while it is looked at.
func TestModelWatcher(t *testing.T) {
	byHand := map[string][]act{
		"swapped":    {{"out", "d", ""}, {"in", "d", ""}},
		"moved":      {{"move", "d", "e"}, {"write", "e/s/c", ""}},
		"to and fro": {{"move", "d", "e"}, {"move", "e", "d"}, {"write", "d/s/c", ""}},
		"gone again": {{"out", "d/s", ""}, {"in", "d/s", ""}, {"write", "d/s/c", ""},
			{"out", "d/s/c", ""}},
		"a file": {{"out", "d", ""}, {"write", "d", ""}},
		"new":    {{"mkdir", "e", ""}, {"mkdir", "e/s", ""}, {"write", "e/s/c", ""}},
		"dropped": {{"move", "d", "e"}, {"write", "f", ""}, {"write", "f", ""}, {"write", "f", ""},
			{"write", "f", ""}, {"write", "f", ""}, {"write", "f", ""}, {"write", "e/s/c", ""}},
	}
	for _, name := range slices.Sorted(maps.Keys(byHand)) {
		t.Run(name, func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{
				Explorers: modelcheck.Portfolio(modelcheck.Scaled(60_000) / 20)},
				func(m *modelcheck.Model) { watches(m, byHand[name]) })
		})
	}
	names := []string{"d", "d/a", "d/s", "d/s/c", "e", "e/a", "e/s", "e/s/c", "f"}
	modelcheck.Drawn(func(i int, source *rand.Rand, executions int) {
		var acts []act
		name := func() string { return names[source.IntN(len(names))] }
		what := []string{"write", "write", "mkdir", "move", "move", "out", "in", "remove"}
		for d, n := newFake(), 2+source.IntN(3); len(acts) < n; {
			if a := (act{what[source.IntN(len(what))], name(), name()}); d.do(a) {
				acts = append(acts, a)
			}
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{
				Explorers: modelcheck.Portfolio(executions)},
				func(m *modelcheck.Model) { watches(m, acts) })
		})
	})
}
