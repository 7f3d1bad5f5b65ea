package farm

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Func is what a job does: it reads its input and writes its result. The same input must give the
// same result. It should return soon after ctx ends. It may run more than once, at the same time
// too; what it wrote counts only if it returns nil.
type Func func(ctx context.Context, in Input, out io.Writer) error

// Jobs is a registry of functions. Make one with [NewJobs]. Any goroutine may call its methods.
type Jobs struct {
	mu  sync.RWMutex
	fns map[jobID]Func
}

type jobID struct{ name, version string }

// consumer is the name of the server's consumers of a job.
func (id jobID) consumer() string { return token(id.name) + "-" + token(id.version) }

// NewJobs returns an empty registry.
func NewJobs() *Jobs { return &Jobs{fns: map[jobID]Func{}} }

// Register makes fn the function of a job. The version stands for what the function does: a
// function whose results differ has another version. Names and versions are of letters, digits,
// '-', '_' and '.', at most 64 bytes, beginning with a letter or a digit. Register panics if one is
// not, if fn is nil, or if the job is registered already.
func (j *Jobs) Register(name, version string, fn Func) {
	if err := errFirst(checkName(name), checkName(version)); err != nil {
		panic(err.Error())
	}
	if fn == nil {
		panic("farm: a nil function")
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	id := jobID{name, version}
	if j.fns[id] != nil {
		panic("farm: job " + name + " " + version + " is registered already")
	}
	j.fns[id] = fn
}

// RegisterBytes is Register for a function that has its input and result in memory.
func (j *Jobs) RegisterBytes(name, version string,
	fn func(ctx context.Context, in []byte) ([]byte, error)) {
	if fn == nil {
		panic("farm: a nil function")
	}
	j.Register(name, version, func(ctx context.Context, in Input, out io.Writer) error {
		b, err := in.Bytes(ctx)
		if err != nil {
			return err
		}
		if b, err = fn(ctx, b); err != nil {
			return err
		}
		_, err = out.Write(b)
		return err
	})
}

// CopyFrom registers the versions of a job that another registry has. It panics where Register
// does.
func (j *Jobs) CopyFrom(from *Jobs, name string) error {
	found := false
	for _, id := range from.ids() {
		if id.name == name {
			found = true
			j.Register(id.name, id.version, from.lookup(id))
		}
	}
	if !found {
		return fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	return nil
}

// Names returns the jobs as "name version", sorted.
func (j *Jobs) Names() []string {
	var names []string
	for _, id := range j.ids() {
		names = append(names, id.name+" "+id.version)
	}
	return names
}

func (j *Jobs) ids() []jobID {
	if j == nil {
		return nil
	}
	j.mu.RLock()
	defer j.mu.RUnlock()
	return slices.SortedFunc(maps.Keys(j.fns), func(a, b jobID) int {
		return strings.Compare(a.name+" "+a.version, b.name+" "+b.version)
	})
}

func (j *Jobs) lookup(id jobID) Func {
	if j == nil {
		return nil
	}
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.fns[id]
}

// only returns the only version of a job that is registered, or an error.
func (j *Jobs) only(name string) (string, error) {
	var found []string
	for _, id := range j.ids() {
		if id.name == name {
			found = append(found, id.version)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%w: %d versions of %q are registered here; name one", ErrUnknown,
			len(found), name)
	}
	return found[0], nil
}

const maxName = 64

func checkName(s string) error {
	if len(s) == 0 || len(s) > maxName {
		return fmt.Errorf("%w: a name of %d bytes", ErrInvalid, len(s))
	}
	for i := range len(s) {
		c := s[i]
		alnum := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !alnum && (i == 0 || c != '-' && c != '_' && c != '.') {
			return fmt.Errorf("%w: the name %q", ErrInvalid, s)
		}
	}
	return nil
}

// token returns a name as one token of a subject.
func token(s string) string { return strings.ReplaceAll(s, ".", "=") }

func errFirst(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
