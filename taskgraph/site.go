package taskgraph

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
)

// siteDepth is how many callers are kept: the first ones are in this package, and a helper function
// of the user is better shown with its callers.
const siteDepth = 6

// A site is where an event was made. Its maker writes it before anybody else knows the event;
// readers compare the reference before and after.
type site struct {
	ref atomics.Uint64
	pcs [siteDepth]atomics.Uintptr
}

// noteSite keeps where e was made: the place of the call into this package.
func (s *System) noteSite(e Event) {
	if !s.opts.Sites || e.Store() != s.store {
		return
	}
	var pcs [siteDepth]uintptr
	n := runtime.Callers(3, pcs[:])
	at := s.sites.Grow(uint32(e.Node()))
	at.ref.Store(0)
	for i := range at.pcs {
		if i >= n {
			pcs[i] = 0
		}
		at.pcs[i].Store(pcs[i])
	}
	at.ref.Store(refOf(e))
}

func (s *System) siteOf(e Event) string {
	at := s.sites.Get(uint32(e.Node()))
	if at == nil || at.ref.Load() != refOf(e) {
		return ""
	}
	pcs := make([]uintptr, 0, siteDepth)
	for i := range at.pcs {
		if pc := at.pcs[i].Load(); pc != 0 {
			pcs = append(pcs, pc)
		}
	}
	if at.ref.Load() != refOf(e) || len(pcs) == 0 {
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

// isOurs reports whether a function belongs to this package or to one below it, such as future.
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

// The long ways of what makes tasks, for a system that has a bound or keeps sites.
