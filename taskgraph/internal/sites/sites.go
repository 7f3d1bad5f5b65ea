package sites

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
)

// depth is how many callers are kept: the first ones are in this library, and a helper function of
// the user is better shown with its callers.
const depth = 6

// A site is where an event was made. Its maker writes it before anybody else knows the event;
// readers compare the reference before and after.
type site struct {
	ref atomics.Uint64
	pcs [depth]atomics.Uintptr
}

// A Table has the site of the last event with each index. The zero Table has none, and is ready.
type Table struct{ t paged.Table[site] }

// Note keeps where the caller, but for so many callers of Note, was called: the place where the
// event with that index and reference was made: SI1. Nobody else knows the event yet.
func (t *Table) Note(index uint32, ref uint64, skip int) {
	var pcs [depth]uintptr
	runtime.Callers(2+skip, pcs[:]) // which leaves 0 where there are no more
	at := t.t.Grow(index)
	at.ref.Store(0)
	for i := range at.pcs {
		at.pcs[i].Store(pcs[i])
	}
	at.ref.Store(ref)
}

// Of returns where the event was made, as file:line of the first caller that is not of this
// library, or "" if that is not known: SI2.
func (t *Table) Of(index uint32, ref uint64) string {
	at := t.t.Get(index)
	if at == nil || at.ref.Load() != ref {
		return ""
	}
	pcs := make([]uintptr, 0, depth)
	for i := range at.pcs {
		if pc := at.pcs[i].Load(); pc != 0 {
			pcs = append(pcs, pc)
		}
	}
	if at.ref.Load() != ref || len(pcs) == 0 {
		return ""
	}
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if !isOurs(f.Function) {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// isOurs reports whether a function belongs to taskgraph or to a package below it, such as future.
func isOurs(function string) bool {
	at := strings.LastIndexByte(function, '/') + 1
	if b := strings.IndexByte(function, '['); b >= 0 { // types may have slashes
		at = strings.LastIndexByte(function[:b], '/') + 1
	}
	name, _, _ := strings.Cut(function[at:], ".")
	path := function[:at] + name
	return path == goroutine.Library ||
		strings.HasPrefix(path, goroutine.Library+"/") && !strings.HasSuffix(name, "_test")
}
