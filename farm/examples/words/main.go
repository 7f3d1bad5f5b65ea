// Command words counts the words of many texts: each text is a job, and what they give is joined by
// a task after all of them. Started without more it does all that in one process. With -workers 3
// it starts itself three times as a worker, and the jobs run there.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/taskgraph"
)

func main() {
	jobs := wordJobs()
	farm.WorkerMain(jobs) // a worker does not come back from here

	workers := flag.Int("workers", 0, "how many worker processes to start")
	texts := flag.Int("texts", 200, "how many texts there are")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, jobs, *workers, *texts, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, jobs *farm.Jobs, workers, texts int, out io.Writer) (err error) {
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
	}
	sys := taskgraph.Start(taskgraph.Options{})
	began := time.Now()
	results := make([]*farm.Result, texts)
	counted := make([]taskgraph.Event, texts)
	for i := range results {
		results[i] = farm.Call(sys, f, "count", farm.Bytes(text(i)), o)
		counted[i] = results[i].Event()
	}
	total := uint64(0)
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		for _, r := range results {
			b, err := r.Get(c)
			if err != nil {
				return err
			}
			total += binary.BigEndian.Uint64(b)
		}
		return nil
	})).After(counted...).Launch()
	if err = sys.Shutdown(ctx); err != nil {
		return err
	}
	where := map[string]int{}
	for _, r := range results {
		where[strings.SplitN(r.Why(), " by ", 2)[0]]++
	}
	_, err = fmt.Fprintf(out, "%d words in %d texts\n", total, texts)
	if workers > 0 {
		fmt.Fprintf(os.Stderr, "by %d workers in %v\n", workers, time.Since(began))
	} else {
		fmt.Fprintf(os.Stderr, "in %v: %v\n", time.Since(began), where)
	}
	return err
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
// holds a token, is given where other users do not see it.
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
