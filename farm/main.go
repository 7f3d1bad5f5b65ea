package farm

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/nats-io/nats.go"
)

// The variables of the environment that [WorkerMain] and the commands read.
const (
	EnvURL   = "HEDDLE_FARM_URL"   // of the server
	EnvCreds = "HEDDLE_FARM_CREDS" // a file of NATS credentials: a JWT and an nkey
	EnvCA    = "HEDDLE_FARM_CA"    // a file with the certificate that signed the server's
)

// WorkerMain makes a program a worker: called first in main, it returns at once unless the program
// was started as one, which is with the argument "farm-worker". Then it runs jobs until the process
// is interrupted, and exits.
//
//	func main() {
//		farm.WorkerMain(jobs)
//		...
func WorkerMain(jobs *Jobs) {
	if len(os.Args) < 2 || os.Args[1] != "farm-worker" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := RunWorker(ctx, jobs, os.Args[2:], os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// ConnectFlags adds the flags that say which farm is meant, and returns what gives the options that
// they stand for, once they are parsed.
func ConnectFlags(fs *flag.FlagSet) func() Options {
	url := fs.String("nats", os.Getenv(EnvURL), "the `URL` of the NATS server ("+EnvURL+")")
	name := fs.String("farm", "heddle", "the `NAME` of the farm on that server")
	creds := fs.String("creds", os.Getenv(EnvCreds),
		"the `FILE` of the NATS credentials ("+EnvCreds+")")
	ca := fs.String("ca", os.Getenv(EnvCA),
		"the `FILE` with the certificate of the authority that signed the server's ("+EnvCA+")")
	return func() Options {
		o := Options{URL: *url, Name: *name}
		if *creds != "" {
			o.NATS = append(o.NATS, nats.UserCredentials(*creds))
		}
		if *ca != "" {
			o.NATS = append(o.NATS, nats.RootCAs(*ca))
		}
		return o
	}
}

// RunWorker is what [WorkerMain] does with the arguments of a worker: it returns when ctx has
// ended, or why the worker cannot begin.
func RunWorker(ctx context.Context, jobs *Jobs, args []string, log io.Writer) error {
	fs := flag.NewFlagSet("farm-worker", flag.ContinueOnError)
	fs.SetOutput(log)
	connect := ConnectFlags(fs)
	var w WorkOptions
	fs.IntVar(&w.Slots, "slots", 0,
		"run this `number` of jobs at once (default: one for each processor)")
	fs.StringVar(&w.ID, "id", "", "the `NAME` of the worker (default: random)")
	ackWait := fs.Duration("ack-wait", 0, "Options.AckWait (default 10s)")
	maxDeliver := fs.Int("max-deliver", 0, "Options.MaxDeliver (default 5)")
	verbose := fs.Bool("v", false, "log what happens to each job")
	if err := fs.Parse(args); err != nil {
		return err
	}
	o := connect()
	if o.URL == "" {
		return fmt.Errorf("%w: a worker needs the URL of a server: -nats, or %s", ErrInvalid,
			EnvURL)
	}
	o.Jobs, o.AckWait, o.MaxDeliver = jobs, *ackWait, *maxDeliver
	logger := slog.New(slog.NewTextHandler(log, nil))
	if o.Logger = logger; *verbose {
		o.Observe = func(n Note) {
			logger.Info(n.What.String(), "job", n.Job, "key", n.Key.String()[:12], "attempt",
				n.Attempt, "err", n.Err)
		}
	}
	f, err := Open(ctx, o)
	if err != nil {
		return err
	}
	logger.Info("farm: worker", "jobs", jobs.Names())
	return errors.Join(f.Work(ctx, jobs, w), f.Close())
}
