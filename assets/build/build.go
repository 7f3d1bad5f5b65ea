package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/build/encode"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/assets/store"
	"github.com/heddle-go/heddle/taskgraph"
)

// Options configure Tree. The zero value copies everything, one file after the other.
type Options struct {
	Rules  []Rule       // of several for a format the first one counts
	Limits pipes.Limits // of sources
	Cache  *store.Cache // if not nil, keeps what was encoded, under all that it depends on

	// System, if not nil, has each file as tasks of its own.
	System *taskgraph.System
	// Runner, if not nil, encodes in place of this process. It needs a System.
	Runner Runner
	// InFlight is how many files are in memory at a time, where there is a System. Default: twice
	// as many as processors, or 64 with a Runner.
	InFlight int

	// Done, if not nil, is called after each file, by any goroutine, one at a time.
	Done func()
}

// RegistryName is the file of the registry in a tree that was built. It lists what the build has
// written.
const RegistryName = ".assets.db"

// Tree builds the resources of a tree, and the variants of each, into the directory to: what has no
// rule is copied, of the rest the name of the encoder's format is added to the path. The registry
// that it writes there has the same IDs, and paths, formats and hashes of what was built, so that
// what refers to a resource finds it. A source that cannot be read or encoded is in Failures and in
// no registry; the others are built all the same.
//
// The directory must be empty, not there, or from an earlier build, of which the files that are not
// written again are removed. Nothing is changed in from. What is written has its name when it is
// complete; nothing is synced.
func Tree(ctx context.Context, from fs.FS, infos []assets.Info, to string, o Options) (*Report,
	error) {
	if o.Runner != nil && o.System == nil {
		return nil, errors.New("build: a Runner without a System")
	}
	if o.InFlight == 0 {
		o.InFlight = 2 * runtime.GOMAXPROCS(0)
		if o.Runner != nil {
			o.InFlight = 64
		}
	}
	if o.InFlight < 0 {
		return nil, fmt.Errorf("build: InFlight %d is negative", o.InFlight)
	}
	o.Limits = o.Limits.OrDefault()
	b := &builder{o: o, from: from}
	if err := b.plan(infos); err != nil {
		return nil, err
	}
	old, err := before(to)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return nil, err
	}
	if b.to, err = os.OpenRoot(to); err != nil {
		return nil, err
	}
	defer b.to.Close()
	if o.System == nil {
		err = b.serial(ctx)
	} else {
		err = b.tasks(ctx)
	}
	if err != nil {
		return nil, err
	}
	return &b.report, b.finish(to, infos, old)
}

// A step is a file to be built.
type step struct {
	id   assets.ID
	path string          // of the source
	enc  *encode.Encoder // nil: it is copied
	out  string          // the path of what is built

	// What became of it, which the goroutine that builds it writes.
	hash assets.Hash
	size int64
	err  error
}

// A builder builds a tree.
type builder struct {
	o     Options
	from  fs.FS
	to    *os.Root
	steps []*step
	by    map[string]*step // by path of the source

	mu     sync.Mutex // report and Done
	report Report
}

// plan says which files there will be.
func (b *builder) plan(infos []assets.Info) error {
	b.by = make(map[string]*step, len(infos))
	outs := make(map[string]string, len(infos))
	add := func(id assets.ID, name, format string) error {
		if b.by[name] != nil {
			return nil
		}
		if !fs.ValidPath(name) || name == RegistryName ||
			strings.HasPrefix(path.Base(name), partial) {
			return fmt.Errorf("%w: %.100q", pipes.ErrPath, name)
		}
		s := &step{id: id, path: name, enc: encoder(b.o.Rules, format), out: name}
		if s.enc != nil {
			s.out += "." + s.enc.Format()
		}
		if other, taken := outs[s.out]; taken {
			return fmt.Errorf("build: %q and %q would both be %q", other, name, s.out)
		}
		outs[s.out] = name
		b.by[name] = s
		b.steps = append(b.steps, s)
		return nil
	}
	for i := range infos {
		if err := add(infos[i].ID, infos[i].Path, infos[i].Format); err != nil {
			return err
		}
		for _, v := range infos[i].Variants {
			if err := add(infos[i].ID, v.Path, v.Format); err != nil {
				return err
			}
		}
	}
	return nil
}

// serial builds one file after the other.
func (b *builder) serial(ctx context.Context) error {
	for _, s := range b.steps {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		source, key, out := b.begin(s)
		if s.err == nil && out == nil {
			out, s.err = s.enc.Encode(source, b.o.Limits)
			b.encoded(s, key, out, OriginEncoded)
		}
		b.end(s, out)
	}
	return nil
}

// tasks builds each file as a task, or as two with a Runner between them.
func (b *builder) tasks(ctx context.Context) error {
	room := b.o.System.NewSemaphore(b.o.InFlight)
	events := make([]taskgraph.Event, len(b.steps))
	for i, s := range b.steps {
		t := b.o.System.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return b.task(ctx, c, s, room)
		}))
		events[i] = t.Name("build " + s.path).Acquire(room).Context(ctx).Launch()
	}
	// Not with ctx: bodies use what the caller closes after this.
	err := b.o.System.WaitUntilTasksComplete(context.Background(), events...)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// task is the body for a file. It has a unit of room, which the last task for that file gives back.
func (b *builder) task(ctx context.Context, c *taskgraph.Context, s *step,
	room *taskgraph.Semaphore) error {
	elsewhere := false
	defer func() {
		if !elsewhere {
			room.Release()
		}
	}()
	var source, out []byte
	var key store.Key
	c.Blocking(func() { source, key, out = b.begin(s) })
	if s.err != nil || out != nil {
		c.Blocking(func() { b.end(s, out) })
		return nil
	}
	if b.o.Runner == nil {
		out, s.err = s.enc.Encode(source, b.o.Limits)
		c.Blocking(func() {
			b.encoded(s, key, out, OriginEncoded)
			b.end(s, out)
		})
		return nil
	}
	p := b.o.Runner.Start(ctx, c, s.enc, source)
	elsewhere = true
	c.DontCompleteUntil(c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		defer room.Release()
		var origin Origin
		out, origin, s.err = p.Result(c)
		if ctx.Err() != nil {
			return nil
		}
		c.Blocking(func() {
			b.encoded(s, key, out, origin)
			b.end(s, out)
		})
		return nil
	})).After(p.Event()).Always().Context(context.Background()).Launch())
	return nil
}

// begin reads a source, and returns what was built of it before, if that is known, or what is
// copied.
func (b *builder) begin(s *step) (source []byte, key store.Key, out []byte) {
	if source, s.err = b.read(s.path); s.err != nil {
		return nil, key, nil
	}
	b.mu.Lock()
	b.report.Read += int64(len(source))
	b.mu.Unlock()
	if s.enc == nil {
		b.count(&b.report.Copied)
		return nil, key, source
	}
	if s.enc.Name() == encode.Mesh().Name() {
		source, s.err = encode.Pack(source, func(uri string) ([]byte, error) {
			name := path.Join(path.Dir(s.path), uri)
			if path.IsAbs(uri) || strings.Contains(uri, ":") || !fs.ValidPath(name) {
				return nil, fmt.Errorf("%w: %.100q refers to %.100q", pipes.ErrPath, s.path, uri)
			}
			return b.read(name)
		}, b.o.Limits)
		if s.err != nil {
			return nil, key, nil
		}
	}
	if b.o.Cache == nil {
		return source, key, nil
	}
	key = store.KeyOf("built", s.enc.Name(), strconv.Itoa(s.enc.Version()), s.enc.Params(),
		assets.HashOf(source).String())
	if h, err := b.o.Cache.Lookup(key); err == nil {
		if out, err = b.o.Cache.Get(h); err == nil {
			b.count(&b.report.Cached)
			return nil, key, out
		}
	}
	return source, key, nil
}

// encoded counts a result, and keeps it.
func (b *builder) encoded(s *step, key store.Key, out []byte, origin Origin) {
	if s.err != nil {
		return
	}
	if origin == OriginShared {
		b.count(&b.report.Shared)
	} else {
		b.count(&b.report.Encoded)
	}
	if b.o.Cache == nil {
		return
	}
	if h, err := b.o.Cache.Put(out); err == nil { // or it is built again
		_ = b.o.Cache.Set(key, h)
	}
}

func (b *builder) count(n *int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	*n++
}

// end writes what was built.
func (b *builder) end(s *step, out []byte) {
	if s.err == nil {
		s.err = b.write(s.out, out)
	}
	s.hash, s.size = assets.HashOf(out), int64(len(out))
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.err == nil {
		b.report.Files++
		b.report.Written += s.size
	}
	if b.o.Done != nil {
		b.o.Done()
	}
}

// format returns the format of what is built of one.
func (s *step) format(source string) string {
	if s.enc == nil {
		return source
	}
	return s.enc.Format()
}
