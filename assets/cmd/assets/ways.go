package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// The ways of compare.
const (
	wayRead     = "read"
	waySerial   = "serial"
	wayErrgroup = "errgroup"
	wayAssets   = "assets"
)

var ways = []string{wayRead, waySerial, wayErrgroup, wayAssets}

// A race is one run of one way.
type race struct {
	o      *compareFlags
	src    *source
	plan   []assets.Pipe
	number map[assets.ID]int // of src.ids
	begin  time.Time
	ready  []time.Duration // by number; 0: not
	failed int

	children [][]assets.ID // of errgroup, by number
	close    func() error  // of what is kept until the time is taken
}

// once runs one way, here.
func (o *compareFlags) once(ctx context.Context, call *cli.Call, rep *wayReport) error {
	src, err := openDir(call.Arg, o.registry)
	if err != nil {
		return err
	}
	defer src.close()
	r := &race{o: o, src: src, number: make(map[assets.ID]int, len(src.ids)),
		plan:  pipes.Standard(pipes.StandardOptions{By: decoders(), Disk: src.disk}),
		ready: make([]time.Duration, len(src.ids))}
	for i, id := range src.ids {
		r.number[id] = i
		rep.Bytes += r.variant(id).Size
	}
	if err := r.prepare(ctx, call.Arg); err != nil {
		return err
	}
	runtime.GC()
	before, err := processorTime()
	if err != nil {
		return err
	}
	r.begin = time.Now()
	if err := r.run(ctx); err != nil {
		return err
	}
	rep.MS = ms(time.Since(r.begin))
	after, err := processorTime()
	if err != nil {
		return err
	}
	rep.CPUMS, rep.Resources, rep.Peak = ms(after-before), len(src.ids), peak()
	if err := r.close(); err != nil {
		return err
	}
	rep.Failed, rep.P50MS, rep.P99MS = r.failed, r.percentile(50), r.percentile(99)
	if !call.JSON {
		fmt.Fprintf(call.Text, "%s: %.1f ms, %.1f ms of processors, half ready after %.1f ms, "+
			"99%% after %.1f ms, at most %.1f MiB, %d failed\n", o.way, rep.MS, rep.CPUMS,
			rep.P50MS, rep.P99MS, float64(rep.Peak)/(1<<20), rep.Failed)
	}
	return nil
}

// run loads everything. What is to be done after the time is taken is left to close.
func (r *race) run(ctx context.Context) error {
	r.close = func() error { return nil }
	switch r.o.way {
	case wayRead:
		return r.read(ctx)
	case waySerial:
		return r.serial(ctx)
	case wayErrgroup:
		r.close = r.settle
		return r.herd(ctx)
	}
	return r.managed(ctx)
}

// variant returns what is to be loaded of a resource.
func (r *race) variant(id assets.ID) assets.Variant {
	g, _ := r.src.registry.GUID(id)
	info, _ := r.src.registry.Info(g)
	return info.On(assets.Platform(r.o.platform))
}

// prepare brings all files into the system's cache, or out of it.
func (r *race) prepare(ctx context.Context, dir string) error {
	buffer := make([]byte, 64<<10)
	tree, err := pipes.OpenDir(dir)
	if err != nil {
		return err
	}
	defer tree.Close()
	for _, id := range r.src.ids {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		f, err := tree.FS().Open(r.variant(id).Path)
		if err != nil {
			continue // each way will say so
		}
		if r.o.cold {
			err = evict(f)
		} else {
			_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, buffer)
		}
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// done notes that a resource is ready.
func (r *race) done(id assets.ID) {
	if i, known := r.number[id]; known {
		r.ready[i] = time.Since(r.begin)
	}
}

// percentile returns when so many percent of what became ready were.
func (r *race) percentile(percent int) float64 {
	all := slices.DeleteFunc(slices.Clone(r.ready), func(d time.Duration) bool { return d == 0 })
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return ms(all[(len(all)*percent+99)/100-1])
}

// read only reads: what the disk can do.
func (r *race) read(ctx context.Context) error {
	var g errgroup.Group
	g.SetLimit(r.o.limit)
	var mu sync.Mutex
	for _, id := range r.src.ids {
		g.Go(func() error {
			_, err := r.src.disk[""].Fetch(ctx, r.variant(id).Path, 1<<40)
			if err == nil {
				r.done(id)
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			r.failed++
			return context.Cause(ctx)
		})
	}
	return g.Wait()
}

// serial loads one after the other.
func (r *race) serial(ctx context.Context) error {
	w := &walker{r.src, assets.Platform(r.o.platform), r.plan, map[assets.ID]any{},
		map[assets.ID]error{}, r.done}
	for _, id := range r.src.ids {
		if w.load(ctx, id) != nil {
			r.failed++
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// managed loads by a manager. The last pipe looks at the clock.
func (r *race) managed(ctx context.Context) error {
	clock := assets.Pipe{Name: "clock", Run: func(_ context.Context, it *assets.Item) error {
		r.done(it.ID)
		return nil
	}}
	e, err := start(r.o.workers, assets.PipelineOptions{Plan: append(r.plan, clock)},
		assets.Options{Registry: r.src.registry, Platform: assets.Platform(r.o.platform)})
	if err != nil {
		return err
	}
	err = e.all(ctx, r.src.ids, max(len(r.src.ids), 1), func(_ int, h *assets.Handle) {
		if h.Err() != nil {
			r.failed++
		}
	})
	if err != nil {
		return errors.Join(err, e.close())
	}
	r.close = e.close
	return nil
}

// herd loads each resource on a goroutine, at most so many at a time. Nobody waits for a child,
// which would have to give its place to others, and on a circle would go on for ever: whether what
// a resource depends on is there, settle finds out in the end.
func (r *race) herd(ctx context.Context) error {
	r.children = make([][]assets.ID, len(r.src.ids))
	values := make([]any, len(r.src.ids))
	var g errgroup.Group
	g.SetLimit(r.o.limit)
	for i, id := range r.src.ids {
		g.Go(func() error {
			it := &assets.Item{ID: id, Platform: assets.Platform(r.o.platform),
				Registry: r.src.registry}
			if through(ctx, it, r.plan) == nil {
				values[i], r.children[i] = it.Value, it.Children
				r.done(id)
			}
			return context.Cause(ctx)
		})
	}
	err := g.Wait()
	r.close = func() error {
		runtime.KeepAlive(values)
		return r.settle()
	}
	return err
}

// settle makes the resources of errgroup wait for what they depend on, after the fact: a resource
// is ready with the last of those that it can reach, and fails if one of them has.
func (r *race) settle() error {
	parents := make([][]int, len(r.ready))
	var todo []int
	for i := range r.ready {
		for _, c := range r.children[i] {
			if j, known := r.number[c]; known {
				parents[j] = append(parents[j], i)
			} else {
				r.ready[i] = 0
			}
		}
		todo = append(todo, i)
	}
	for len(todo) > 0 {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, p := range parents[c] {
			if later := r.ready[c] > r.ready[p]; r.ready[p] != 0 && (r.ready[c] == 0 || later) {
				r.ready[p] = r.ready[c]
				todo = append(todo, p)
			}
		}
	}
	for _, d := range r.ready {
		if d == 0 {
			r.failed++
		}
	}
	return nil
}
