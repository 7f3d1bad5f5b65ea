package remote

import (
	"context"

	"github.com/heddle-go/heddle/assets/build"
	"github.com/heddle-go/heddle/assets/build/encode"
	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Runner is a build.Runner whose encoders are jobs of a farm. Make one with New. Any goroutine
// may call its methods.
type Runner struct {
	f     *farm.Farm
	where farm.Where
}

// New returns a Runner for a farm. With farm.Auto this process encodes too, where that is done
// sooner, if its farm was opened with the jobs of Register; with farm.Remote it leaves all to
// workers.
func New(f *farm.Farm, where farm.Where) *Runner { return &Runner{f, where} }

// Start implements build.Runner.
func (r *Runner) Start(ctx context.Context, c *taskgraph.Context, e *encode.Encoder,
	source []byte) build.Pending {
	return pending{farm.Call(c, r.f, jobName(e), farm.Bytes(join(e, source)),
		farm.CallOptions{Version: jobVersion(e), Where: r.where, Context: ctx})}
}

// pending is a call as a build.Pending.
type pending struct{ r *farm.Result }

// Event implements build.Pending.
func (p pending) Event() taskgraph.Event { return p.r.Event() }

// Result implements build.Pending.
func (p pending) Result(c *taskgraph.Context) ([]byte, build.Origin, error) {
	out, err := p.r.Get(c)
	if p.r.Kept() || p.r.Shared() { // with another build, or within this one
		return out, build.OriginShared, err
	}
	return out, build.OriginEncoded, err
}
