package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/changes"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A watchReport is what watch prints at its end.
type watchReport struct {
	Resources int     `json:"resources"` // at the beginning
	Failed    int     `json:"failed"`    // of these
	Events    []event `json:"events"`
}

// An event is something that happened.
type event struct {
	Kind  string `json:"kind"` // changed, removed, or a kind of assets.Change
	ID    string `json:"id"`
	Cause string `json:"cause,omitempty"` // of affected: what was reloaded
	Error string `json:"error,omitempty"`
}

// drainInterval is how often what was reloaded is put in its place: the frames of a program that
// has no others.
const drainInterval = 16 * time.Millisecond

// forgotten is for how long a failure is shared: what failed for want of a file is loaded anew as
// soon as that is there.
const forgotten = -1

// watcher is the command watch.
func watcher() *cli.Command {
	var platform string
	var workers int
	var long time.Duration
	var rep watchReport
	return &cli.Command{
		Name: "assets watch", Arg: "DIR",
		About: "Loads all resources of a directory and, until it is interrupted, loads again what\n" +
			"changes: it says what was reloaded and then, child before parent, what depends on it.",
		Flags: func(fs *flag.FlagSet) {
			workersFlag(fs, &workers)
			fs.StringVar(&platform, "platform", "", "load variants for `PLATFORM`")
			durationFlag(fs, &long)
		},
		Work: func(ctx context.Context, call *cli.Call) (err error) {
			if err := checkWorkers(call, workers); err != nil {
				return err
			}
			ctx, cancel, err := within(ctx, call, long)
			if err != nil {
				return err
			}
			defer cancel()
			t, err := openTree(call.Arg, "")
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, t.Close()) }()
			return watch(ctx, call, t, workers, assets.Platform(platform), &rep)
		},
		JSON: func() any { return &rep },
	}
}

// A reloader keeps a manager up with a directory.
type reloader struct {
	call     *cli.Call
	rep      *watchReport
	tree     *tree
	platform assets.Platform
	registry assets.Registry
	e        *engine
	held     map[assets.ID]*assets.Handle
}

// watch loads everything, and again what changes, until ctx ends.
func watch(ctx context.Context, call *cli.Call, t *tree, workers int, platform assets.Platform,
	rep *watchReport) (err error) {
	// What changes while everything is loaded is told afterwards.
	w, err := changes.Watch(t.dir, changes.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	files, err := scan(t.files.FS())
	if err != nil {
		return fmt.Errorf("%s: %w", t.dir, err)
	}
	infos := fold(files)
	r := &reloader{call: call, rep: rep, tree: t, platform: platform,
		held: map[assets.ID]*assets.Handle{}}
	if r.registry, err = assets.NewMemory(infos...); err != nil {
		return err
	}
	plan := pipes.Standard(pipes.StandardOptions{By: decoders(),
		Disk: map[string]pipes.Fetcher{"": t.files}})
	r.e, err = start(workers, assets.PipelineOptions{Plan: plan},
		assets.Options{Registry: r.registry, Platform: platform, FailureFor: forgotten})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.e.close()) }()
	b := newBar(call, "load", len(infos))
	err = r.e.all(ctx, ids(infos), max(len(infos), 1), func(_ int, h *assets.Handle) {
		if r.held[h.ID()] = h; h.Err() != nil {
			rep.Failed++
			fmt.Fprintf(call.Stderr, "assets watch: %s\n", oneLine(h.Err()))
		}
		b.add()
	})
	b.clear()
	rep.Resources = len(infos)
	if err == nil {
		defer r.e.m.Subscribe(r.told)()
		fmt.Fprintf(call.Text, "watching %d resources\n", len(infos))
		if call.Progress != nil {
			call.Progress.Show("watching " + t.dir)
		}
		err = r.follow(ctx, w)
	}
	if ctx.Err() != nil {
		return nil // that is how it ends
	}
	return err
}

// follow reloads what changes and calls Drain, both on this goroutine, as a program does that uses
// the resources here.
func (r *reloader) follow(ctx context.Context, w *changes.Watcher) error {
	ctx, cancel := context.WithCancel(ctx)
	type batch struct {
		changes []changes.Change
		err     error
	}
	batches := make(chan batch)
	ended := make(chan struct{})
	defer func() {
		cancel()
		<-ended
	}()
	go func() {
		defer close(ended)
		for {
			c, err := w.Next(ctx)
			select {
			case batches <- batch{c, err}:
			case <-ctx.Done():
			}
			if err != nil {
				return
			}
		}
	}()
	frame := time.NewTicker(drainInterval)
	defer frame.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case b := <-batches:
			if b.err != nil {
				return b.err
			}
			if err := r.changed(b.changes); err != nil {
				return err
			}
		case <-frame.C:
			r.e.m.Drain()
		}
	}
}

// changed takes what has become of files.
func (r *reloader) changed(list []changes.Change) error {
	// Any file may be a variant, or become one: what there is is looked up again.
	files, err := scan(r.tree.files.FS())
	if err != nil {
		return err
	}
	of := map[string]assets.Info{}
	for _, info := range fold(files) {
		of[info.On(r.platform).Path] = info
	}
	appeared := false
	for _, c := range list {
		if hidden(c.Path) {
			continue
		}
		id := assets.ID(c.Path)
		info, there := of[c.Path]
		if c.Removed || !there {
			r.removed(id, c)
			continue
		}
		if err := r.registry.Put(info); err != nil {
			return err
		}
		r.say(event{Kind: "changed", ID: string(info.ID)})
		if r.held[info.ID] == nil {
			r.held[info.ID] = r.e.m.Acquire(info.ID)
			appeared = true
		} else {
			r.e.m.Reload(info.ID)
		}
	}
	if appeared { // what failed may have waited for it
		for id, h := range r.held {
			if h.State() == assets.Failed {
				r.e.m.Reload(id)
			}
		}
	}
	return nil
}

// removed takes a file that is gone. What was loaded from it stays; who needs it from now on fails.
func (r *reloader) removed(id assets.ID, c changes.Change) {
	h := r.held[id]
	if h == nil || !c.Removed {
		return
	}
	if g, ok := r.registry.GUID(id); ok {
		_ = r.registry.Delete(g) // of memory: it does not fail
	}
	delete(r.held, id)
	r.e.m.Release(h)
	r.say(event{Kind: "removed", ID: string(id)})
}

// told is told what Drain does.
func (r *reloader) told(c assets.Change) {
	if c.Kind == assets.ChangeUnloaded {
		return // it was removed
	}
	e := event{Kind: c.Kind.String(), ID: string(c.ID), Cause: string(c.Cause)}
	if c.Err != nil {
		e.Error = oneLine(c.Err)
	}
	r.say(e)
}

// say prints an event and keeps it for the report.
func (r *reloader) say(e event) {
	r.rep.Events = append(r.rep.Events, e)
	switch {
	case e.Cause != "":
		fmt.Fprintf(r.call.Text, "%-8s %s: depends on %s\n", e.Kind, e.ID, e.Cause)
	case e.Error != "":
		fmt.Fprintf(r.call.Text, "%-8s %s\n", e.Kind, e.Error)
	default:
		fmt.Fprintf(r.call.Text, "%-8s %s\n", e.Kind, e.ID)
	}
}
