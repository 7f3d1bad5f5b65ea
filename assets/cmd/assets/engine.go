package main

import (
	"context"
	"errors"
	"maps"
	"runtime"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/build/encode"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/taskgraph"
)

// maxWorkers bounds -workers: more than that a task system does not take.
const maxWorkers = 1024

// An engine is a manager with what it stands on.
type engine struct {
	sys  *taskgraph.System
	load *assets.Pipeline
	m    *assets.Manager
}

// start starts an engine. Whoever asks for no number of workers gets one a core.
func start(workers int, p assets.PipelineOptions, o assets.Options) (*engine, error) {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	e := &engine{sys: taskgraph.Start(taskgraph.Options{Workers: workers})}
	var err error
	if e.load, err = assets.NewPipeline(e.sys, p); err != nil {
		return nil, errors.Join(err, e.sys.Shutdown(context.Background()))
	}
	o.Loader = e.load
	e.m = assets.New(e.sys, o)
	return e, nil
}

// close ends all loads and the system.
func (e *engine) close() error {
	return errors.Join(e.m.Close(context.Background()), e.sys.Shutdown(context.Background()))
}

// all loads resources, so many of them at a time, and calls done for each as it ends, in their
// order. Those that have ended are held until the engine is closed, or until done releases them.
func (e *engine) all(ctx context.Context, ids []assets.ID, ahead int,
	done func(i int, h *assets.Handle)) error {
	handles := make([]*assets.Handle, len(ids))
	asked := 0
	for i := range ids {
		for asked < len(ids) && asked-i < ahead {
			handles[asked] = e.m.Acquire(ids[asked])
			asked++
		}
		err := handles[i].Wait(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s := handles[i].State(); err != nil && s != assets.Failed {
			return err // the wait failed, not the load
		}
		done(i, handles[i])
		handles[i] = nil
	}
	return nil
}

// ids returns the IDs of resources.
func ids(infos []assets.Info) []assets.ID {
	out := make([]assets.ID, len(infos))
	for i := range infos {
		out[i] = infos[i].ID
	}
	return out
}

// decoders are those of the standard pipes, and of what build makes and reads.
func decoders() map[string]pipes.Decoder {
	by := pipes.Decoders()
	maps.Copy(by, encode.Decoders())
	return by
}

// shallow are decoders that look only for what a resource depends on.
func shallow() map[string]pipes.Decoder {
	by := decoders()
	for format := range by {
		if t := types[format]; t != "model" && t != "manifest" {
			by[format] = pipes.Decoder{Version: 1, Decode: func([]byte, pipes.Limits) (
				pipes.Decoded, error) {
				return pipes.Decoded{Value: struct{}{}, Size: 1}, nil
			}}
		}
	}
	return by
}

// degrade makes resources ready although something that they depend on has failed.
var degrade = map[string]assets.TypeRule{"": {Degrade: true}}
