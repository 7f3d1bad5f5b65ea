package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A walker loads resources one after the other, with what they depend on, on one goroutine: the
// same pipes, and nothing of the rest.
type walker struct {
	src      *source
	platform assets.Platform
	plan     []assets.Pipe
	values   map[assets.ID]any
	errs     map[assets.ID]error // nil: is loaded, or about to be
	ready    func(assets.ID)
}

// serial loads what parallel did, keeps it as that did, and returns how long that took.
func serial(ctx context.Context, call *cli.Call, o *loadFlags, src *source, plan []assets.Pipe) (
	took time.Duration, failed int, err error) {
	runtime.GC()
	w := &walker{src, assets.Platform(o.platform), plan, map[assets.ID]any{},
		map[assets.ID]error{}, func(assets.ID) {}}
	b := newBar(call, "one by one", len(src.ids))
	defer b.clear()
	begin := time.Now()
	for _, id := range src.ids {
		if w.load(ctx, id) != nil {
			failed++
		}
		if ctx.Err() != nil {
			return 0, 0, context.Cause(ctx)
		}
		b.add()
	}
	return time.Since(begin), failed, nil
}

// load loads a resource if it was not yet. A child that is its own ancestor is left out.
func (w *walker) load(ctx context.Context, id assets.ID) error {
	if err, known := w.errs[id]; known {
		return err
	}
	w.errs[id] = nil
	err := w.run(ctx, id)
	w.errs[id] = err
	return err
}

// run takes a resource through the pipes, and what it depends on. The pipe "link" is left out: it
// only hands out what children have.
func (w *walker) run(ctx context.Context, id assets.ID) error {
	it := &assets.Item{ID: id, Platform: w.platform, Registry: w.src.registry}
	if err := through(ctx, it, w.plan); err != nil {
		return err
	}
	for _, c := range it.Children {
		if err := w.load(ctx, c); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	w.values[id] = it.Value
	w.ready(id)
	return nil
}

// through takes an item through the pipes of a plan up to its dependencies.
func through(ctx context.Context, it *assets.Item, plan []assets.Pipe) error {
	for _, p := range plan {
		if p.Run == nil {
			break
		}
		if err := p.Run(ctx, it); err != nil {
			return err
		}
	}
	return nil
}
