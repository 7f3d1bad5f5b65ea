package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"

	"github.com/heddle-go/heddle/assets/build"
	encoders "github.com/heddle-go/heddle/assets/build/remote"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// farmVariable names a farm where no flag does: its URL may hold a token, which others would see in
// the list of processes.
const farmVariable = "ASSETS_FARM"

// farmFlag adds the flag of commands that join a farm.
func farmFlag(fs *flag.FlagSet, to *string) {
	fs.StringVar(to, "farm", os.Getenv(farmVariable), "join the farm on the NATS server at `URL`; "+
		"default: that of the variable "+farmVariable)
}

// A workReport is what work prints.
type workReport struct {
	Slots int `json:"slots"`
	Runs  int `json:"runs"` // of encoders
}

// worker is the command work.
func worker() *cli.Command {
	var url string
	var slots int
	var rep workReport
	return &cli.Command{
		Name: "assets work",
		About: "Encodes for builds with -farm, on any machine that reaches the farm, until it is\n" +
			"interrupted. It runs the encoders of this program, and nothing else.",
		Flags: func(fs *flag.FlagSet) {
			farmFlag(fs, &url)
			fs.IntVar(&slots, "slots", 0, fmt.Sprintf("`number` of files at a time, 1 to %d; "+
				"default: one a core", maxWorkers))
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			switch {
			case call.Given["slots"] && (slots < 1 || slots > maxWorkers):
				return fmt.Errorf("-slots %d: want 1 to %d", slots, maxWorkers)
			case url == "":
				return errors.New("want a farm: -farm URL")
			}
			if slots == 0 {
				slots = runtime.GOMAXPROCS(0)
			}
			var mu sync.Mutex
			f, err := farm.Open(ctx, farm.Options{URL: url, Observe: func(n farm.Note) {
				if n.What == farm.NoteRun {
					mu.Lock()
					defer mu.Unlock()
					rep.Runs++
				}
			}})
			if err != nil {
				return err
			}
			rep.Slots = slots
			jobs := farm.NewJobs()
			encoders.Register(jobs, pipes.Limits{})
			fmt.Fprintf(call.Stderr, "assets work: %d at a time\n", rep.Slots)
			return errors.Join(f.Work(ctx, jobs, farm.WorkOptions{Slots: rep.Slots}), f.Close())
		},
		JSON: func() any { return &rep },
	}
}

// joinFarm has the encoders of a build run on a farm, of which this process is a worker too, so
// that it gets on without any other. Its own jobs go through the queue as well: only so are the
// results of short ones kept for others. The context that it returns ends with ctx, or if this
// worker cannot begin; the function leaves the farm.
func joinFarm(ctx context.Context, url string, slots int, opts *build.Options) (context.Context,
	func() error, error) {
	f, err := farm.Open(ctx, farm.Options{URL: url})
	if err != nil {
		return nil, nil, err
	}
	jobs := farm.NewJobs()
	encoders.Register(jobs, opts.Limits)
	opts.Runner = encoders.New(f, farm.Remote)
	ctx, fail := context.WithCancelCause(ctx)
	work, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := f.Work(work, jobs, farm.WorkOptions{Slots: slots}); work.Err() == nil {
			fail(err)
		}
	}()
	return ctx, func() error {
		stop()
		<-ended
		fail(nil)
		return f.Close()
	}, nil
}
