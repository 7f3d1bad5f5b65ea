// Command words counts the words of many texts: each text is a job, and a task after all of them
// adds up what they return. By default the jobs run in this process, as tasks. With -workers 3 the
// command starts itself three times as a worker, and the jobs run there.
//
//	go -C farm run ./examples/words
//	go -C farm run ./examples/words -workers 3
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/taskgraph"
)

func main() {
	jobs := wordJobs()
	farm.WorkerMain(jobs) // if this process is a worker, it does not return
	command(jobs).Main()
}

func command(jobs *farm.Jobs) *cli.Command {
	var workers, texts int
	return &cli.Command{
		Name: "words",
		About: "Counts the words of many texts as jobs of a farm, twice, and compares that with a\n" +
			"plain loop.",
		Flags: func(fs *flag.FlagSet) {
			fs.IntVar(&workers, "workers", 0,
				"start this `number` of worker processes and run all jobs there, 0 to 64; 0: run "+
					"them in this process")
			fs.IntVar(&texts, "texts", 200, "count this `number` of texts, 1 to 10000")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			switch {
			case workers < 0 || workers > 64:
				return fmt.Errorf("-workers %d: want 0 to 64", workers)
			case texts < 1 || texts > 10_000:
				return fmt.Errorf("-texts %d: want 1 to 10000", texts)
			}
			return run(ctx, jobs, workers, texts, call)
		},
	}
}

func run(ctx context.Context, jobs *farm.Jobs, workers, texts int, call *cli.Call) (err error) {
	rep := report{texts: texts, workers: workers, loop: loop(texts)}
	f, err := farm.Open(ctx, farm.Options{Jobs: jobs, Listen: workers > 0})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	o := farm.CallOptions{Context: ctx}
	if workers > 0 {
		o.Where, o.Version = farm.Remote, "1"
		ctx, cancel := context.WithCancel(ctx)
		for range workers {
			end, err := startWorker(ctx, f.URL())
			if err != nil {
				cancel()
				return err
			}
			defer end()
		}
		defer cancel()
		// The first answer comes when a worker has started: that takes no part in the comparison.
		call.Progress.Show("waiting for the first worker")
		if err := countAll(ctx, f, texts, 1, o, new(pass)); err != nil {
			return err
		}
	}
	for _, p := range []*pass{&rep.first, &rep.second} {
		call.Progress.Show("counting")
		if err := countAll(ctx, f, 0, texts, o, p); err != nil {
			return err
		}
	}
	call.Progress.Clear()
	rep.print(call.Text)
	return nil
}

// countAll calls a job for each of n texts, and launches a task after all of them.
func countAll(ctx context.Context, f *farm.Farm, from, n int, o farm.CallOptions,
	p *pass) error {
	sys := taskgraph.Start(taskgraph.Options{})
	began := time.Now()
	results := make([]*farm.Result, n)
	counted := make([]taskgraph.Event, n)
	for i := range results {
		results[i] = farm.Call(sys, f, "count", farm.Bytes(text(from+i)), o)
		counted[i] = results[i].Event()
	}
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		for _, r := range results {
			b, err := r.Get(c)
			if err != nil {
				return err
			}
			p.words += binary.BigEndian.Uint64(b)
		}
		return nil
	})).After(counted...).Launch()
	if err := sys.Shutdown(ctx); err != nil {
		return err
	}
	p.took = time.Since(began)
	p.why = map[string]int{}
	for _, r := range results {
		p.why[strings.SplitN(r.Why(), " by ", 2)[0]]++
		if r.Kept() {
			p.kept++
		}
	}
	return nil
}

// loop counts the same words in a plain loop.
func loop(texts int) (p pass) {
	began := time.Now()
	for i := range texts {
		p.words += uint64(len(strings.Fields(string(text(i)))))
	}
	p.took = time.Since(began)
	return p
}

func wordJobs() *farm.Jobs {
	jobs := farm.NewJobs()
	jobs.RegisterBytes("count", "1", count)
	return jobs
}

// count is the job.
func count(_ context.Context, in []byte) ([]byte, error) {
	return binary.BigEndian.AppendUint64(nil, uint64(len(strings.Fields(string(in))))), nil
}

// text returns the text of a number.
func text(i int) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("warp weft %d ", i), 1000+i))
}

// startWorker starts this program as a worker, which is interrupted when ctx ends. The URL, which
// holds a token, travels in the environment, where other users cannot see it.
func startWorker(ctx context.Context, url string) (end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "farm-worker")
	cmd.Env = append(os.Environ(), farm.EnvURL+"="+url)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	if err = cmd.Start(); err != nil {
		return nil, err
	}
	return func() { _ = cmd.Wait() }, nil
}
