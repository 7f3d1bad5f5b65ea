// Command farm looks after a farm: what its workers and queues do, what was given up, and what an
// idle job costs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/taskgraph"
)

const usage = `Usage: farm COMMAND [flags]

  worker   run jobs: those of this program are "echo 1" and "spin 1", for trials; yours are in
           your own program, which becomes a worker by farm.WorkerMain
  status   workers, queues, results and dead letters; -watch: again and again
  purge    remove what is queued, results, or dead letters
  bench    what a job costs
  serve    a server on the loopback interface, for trials: it prints its URL

Each has -h.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "farm:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, log io.Writer) error {
	if len(args) == 0 {
		fmt.Fprint(log, usage)
		return flag.ErrHelp
	}
	fs := flag.NewFlagSet("farm "+args[0], flag.ContinueOnError)
	fs.SetOutput(log)
	switch args[0] {
	case "worker":
		return worker(ctx, args[1:], log)
	case "status":
		return status(ctx, fs, args[1:], out)
	case "purge":
		return purge(ctx, fs, args[1:], out)
	case "bench":
		return bench(ctx, fs, args[1:], out)
	case "serve":
		return serve(ctx, fs, args[1:], out)
	}
	fmt.Fprint(log, usage)
	return fmt.Errorf("there is no command %q", args[0])
}

// trialJobs are what this program can run.
func trialJobs() *farm.Jobs {
	jobs := farm.NewJobs()
	jobs.Register("echo", "1", func(ctx context.Context, in farm.Input, out io.Writer) error {
		rc, err := in.Open(ctx)
		if err != nil {
			return err
		}
		defer rc.Close()
		_, err = io.Copy(out, rc)
		return err
	})
	jobs.RegisterBytes("spin", "1", func(ctx context.Context, in []byte) ([]byte, error) {
		d, err := time.ParseDuration(string(in))
		if err != nil {
			return nil, farm.Permanent(err)
		}
		for end := time.Now().Add(d); time.Now().Before(end) && ctx.Err() == nil; {
		}
		return in, ctx.Err()
	})
	return jobs
}

// worker takes -jobs out of the arguments: which of the jobs the worker offers.
func worker(ctx context.Context, args []string, log io.Writer) error {
	all, jobs := trialJobs(), trialJobs()
	if i := slices.Index(args, "-jobs"); i >= 0 && i+1 < len(args) {
		jobs = farm.NewJobs()
		for _, name := range strings.Split(args[i+1], ",") {
			if err := jobs.CopyFrom(all, name); err != nil {
				return err
			}
		}
		args = slices.Delete(slices.Clone(args), i, i+2)
	}
	return farm.RunWorker(ctx, jobs, args, log)
}

// join opens the farm that the flags mean.
func join(ctx context.Context, o farm.Options) (*farm.Farm, error) {
	if o.URL == "" {
		return nil, fmt.Errorf("which server? give -nats or set %s", farm.EnvURL)
	}
	return farm.Open(ctx, o)
}

func status(ctx context.Context, fs *flag.FlagSet, args []string, out io.Writer) (err error) {
	connect := farm.ConnectFlags(fs)
	watch := fs.Bool("watch", false, "show it every two seconds, with rates")
	dead := fs.Int("dead", 5, "how many dead letters to show")
	if err := fs.Parse(args); err != nil {
		return err
	}
	f, err := join(ctx, connect())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pause(ctx, 1200*time.Millisecond); err != nil { // each worker speaks once a second
		return nil
	}
	var last *farm.Status
	for at := time.Now(); ; {
		s, err := f.Status(ctx)
		if err != nil {
			return err
		}
		letters, err := f.DeadLetters(ctx, *dead)
		if err != nil {
			return err
		}
		now := time.Now()
		show(out, s, last, now.Sub(at), letters)
		if last, at = s, now; !*watch || pause(ctx, 2*time.Second) != nil {
			return nil
		}
		fmt.Fprintln(out)
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func show(out io.Writer, s, last *farm.Status, passed time.Duration, dead []farm.DeadLetter) {
	fmt.Fprintf(out, "%d workers, %d jobs queued, %d results and %d KiB of contents kept, %d dead\n",
		len(s.Workers), s.Waiting, s.Results, s.Contents>>10, s.Dead)
	if len(s.Workers) > 0 {
		fmt.Fprintf(out, "  %-16s %-20s %9s %9s %7s %7s %7s %5s %5s\n", "worker", "host", "busy",
			"done", "jobs/s", "failed", "retried", "twice", "dead")
	}
	for _, w := range s.Workers {
		rate := "-"
		if last != nil {
			for _, l := range last.Workers {
				if l.ID == w.ID && w.Done >= l.Done {
					rate = fmt.Sprintf("%.1f", float64(w.Done-l.Done)/passed.Seconds())
				}
			}
		}
		fmt.Fprintf(out, "  %-16s %-20q %9s %9d %7s %7d %7d %5d %5d\n", w.ID, w.Host,
			fmt.Sprintf("%d of %d", w.Busy, w.Slots), w.Done, rate, w.Failed, w.Retried,
			w.Duplicates, w.Dead)
	}
	for _, q := range s.Queues {
		if q.Waiting > 0 || q.Running > 0 {
			fmt.Fprintf(out, "  queue %q, %s: %d wait, %d run, %d of them not for the first time\n",
				q.Job, q.Priority, q.Waiting, q.Running, q.Redelivered)
		}
	}
	for _, d := range dead {
		fmt.Fprintf(out, "  dead %q at %s, by %q: %q\n", d.Job, d.At.Format(time.DateTime),
			d.Worker, d.Err)
	}
}

func purge(ctx context.Context, fs *flag.FlagSet, args []string, out io.Writer) (err error) {
	connect := farm.ConnectFlags(fs)
	var p farm.Purge
	fs.BoolVar(&p.Queued, "queued", false, "jobs that wait")
	fs.BoolVar(&p.Results, "results", false, "results and contents")
	fs.BoolVar(&p.Dead, "dead", false, "dead letters")
	if err := fs.Parse(args); err != nil {
		return err
	}
	p.Contents = p.Results
	if p == (farm.Purge{}) {
		return errors.New("what? give -queued, -results or -dead")
	}
	f, err := join(ctx, connect())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Purge(ctx, p); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "purged")
	return err
}

func bench(ctx context.Context, fs *flag.FlagSet, args []string, out io.Writer) (err error) {
	connect := farm.ConnectFlags(fs)
	n := fs.Int("n", 2000, "how many jobs")
	size := fs.Int("size", 100, "bytes of an argument and of its result, at least 16")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *n < 1 || *n > 1_000_000 || *size < 16 {
		return errors.New("-n must be from 1 to 1000000, -size at least 16")
	}
	o := connect()
	f, err := farm.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if o.URL == "" {
		fmt.Fprintln(out, "no server is given: one runs in this process, with a worker")
		ctx, cancel := context.WithCancel(ctx)
		end := make(chan error, 1)
		go func() { end <- f.Work(ctx, trialJobs(), farm.WorkOptions{}) }()
		defer func() { cancel(); err = errors.Join(err, <-end) }()
	}
	sys := taskgraph.Start(taskgraph.Options{})
	defer func() { err = errors.Join(err, sys.Shutdown(ctx)) }()
	salt := time.Now().UnixNano() // so that nothing is found done
	call := func(i int) *farm.Result {
		arg := make([]byte, *size)
		copy(arg, fmt.Sprintf("%x-%x", salt&0xffffffff, i))
		return farm.Call(sys, f, "echo", farm.Bytes(arg),
			farm.CallOptions{Version: "1", Where: farm.Remote, Context: ctx})
	}
	one := min(*n, 500)
	took := make([]time.Duration, one)
	for i := range took {
		began := time.Now()
		if _, err := call(i).Get(ctx); err != nil {
			return err
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	fmt.Fprintf(out, "one at a time: p50 %v, p99 %v\n", took[one/2], took[one*99/100])
	began := time.Now()
	all := make([]*farm.Result, *n)
	for i := range all {
		all[i] = call(one + i)
	}
	for _, r := range all {
		if _, err := r.Get(ctx); err != nil {
			return err
		}
	}
	passed := time.Since(began)
	fmt.Fprintf(out, "%d at once: %.0f jobs/s\n", *n, float64(*n)/passed.Seconds())
	return nil
}

func serve(ctx context.Context, fs *flag.FlagSet, args []string, out io.Writer) error {
	dir := fs.String("dir", "", "where it keeps its streams (default: a temporary directory)")
	name := fs.String("farm", "heddle", "the name of the farm")
	if err := fs.Parse(args); err != nil {
		return err
	}
	f, err := farm.Open(ctx, farm.Options{Listen: true, Dir: *dir, Name: *name})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, f.URL())
	<-ctx.Done()
	return f.Close()
}
