// Command farm looks after a farm: it shows workers, queues and dead letters, removes what is kept,
// measures what a job costs, and is a server and a worker for trials.
package main

import (
	"cmp"
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
	"github.com/heddle-go/heddle/internal/dev/cli"
)

const usage = `usage: farm COMMAND [flags]

Commands:
  bench    measure what a job costs; it needs no server
  serve    run a server on the loopback interface, for trials, and print its URL
  worker   run the jobs "echo 1" and "spin 1", for trials; a program of yours becomes a worker of
           its own jobs by farm.WorkerMain
  status   show workers, queues, results and dead letters; with -watch every two seconds
  purge    remove queued jobs, results or dead letters

The flag -h of a command lists its flags. Try first: farm bench
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run runs one of the commands and returns the exit status.
func run(ctx context.Context, args []string, out, log io.Writer) int {
	word := ""
	if len(args) > 0 {
		word = args[0]
	}
	switch word {
	case "-h", "-help", "--help", "help":
		fmt.Fprint(log, usage)
		return cli.OK
	case "":
		fmt.Fprint(log, usage)
		return cli.Usage
	case "worker":
		return worker(ctx, args[1:], log)
	}
	for _, c := range []*cli.Command{status(), purge(), bench(), serve()} {
		if c.Name == "farm "+word {
			return c.Run(ctx, args[1:], out, log)
		}
	}
	fmt.Fprintf(log, "farm: no command %q (-h lists them)\n", word)
	return cli.Usage
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

// worker takes -jobs out of the arguments: which of the jobs the worker offers. The rest are those
// of every worker.
func worker(ctx context.Context, args []string, log io.Writer) int {
	all, jobs := trialJobs(), trialJobs()
	var err error
	if i := slices.Index(args, "-jobs"); i >= 0 && i+1 < len(args) {
		jobs = farm.NewJobs()
		for _, name := range strings.Split(args[i+1], ",") {
			err = cmp.Or(err, jobs.CopyFrom(all, name))
		}
		args = slices.Delete(slices.Clone(args), i, i+2)
	}
	if err == nil {
		err = farm.RunWorker(ctx, jobs, args, log)
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return cli.OK
	case errors.Is(err, farm.ErrInvalid) && !slices.Contains(args, "-nats") &&
		os.Getenv(farm.EnvURL) == "":
		err = errNoServer
	}
	fmt.Fprintln(log, "farm worker:", err)
	return cli.Failed
}

// errNoServer says what a command lacks that looks after a farm.
var errNoServer = errors.New("no server: give its URL by -nats or " + farm.EnvURL +
	"; farm serve starts one for trials and prints its URL")

// join opens the farm that the flags mean.
func join(ctx context.Context, o farm.Options) (*farm.Farm, error) {
	if o.URL == "" {
		return nil, errNoServer
	}
	return farm.Open(ctx, o)
}
