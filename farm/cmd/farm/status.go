package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// status is the command that shows a farm.
func status() *cli.Command {
	var connect func() farm.Options
	var watch bool
	var dead int
	return &cli.Command{
		Name:  "farm status",
		About: "Shows the workers, the queues and the dead letters of a farm.",
		Flags: func(fs *flag.FlagSet) {
			connect = farm.ConnectFlags(fs)
			fs.BoolVar(&watch, "watch", false,
				"show it every two seconds, with rates, until interrupted")
			fs.IntVar(&dead, "dead", 5, "show at most this `number` of dead letters")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if dead < 0 {
				return fmt.Errorf("-dead %d: want 0 or more", dead)
			}
			return report(ctx, connect(), call.Text, watch, dead)
		},
	}
}

// report shows the farm once or, to watch it, until ctx ends.
func report(ctx context.Context, o farm.Options, out io.Writer, watch bool, dead int) (err error) {
	f, err := join(ctx, o)
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
		letters, err := f.DeadLetters(ctx, dead)
		if err != nil {
			return err
		}
		now := time.Now()
		show(out, s, last, now.Sub(at), letters)
		if last, at = s, now; !watch || pause(ctx, 2*time.Second) != nil {
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
	fmt.Fprintf(out, "%s, %s queued, %s and %d KiB of contents kept, %s\n",
		verdict.Count(len(s.Workers), "worker"), verdict.Count(int(s.Waiting), "job"),
		verdict.Count(int(s.Results), "result"), s.Contents>>10,
		verdict.Count(int(s.Dead), "dead letter"))
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
			fmt.Fprintf(out, "  queue %q, %s: %d waiting, %d running, %d of them delivered again\n",
				q.Job, q.Priority, q.Waiting, q.Running, q.Redelivered)
		}
	}
	for _, d := range dead {
		fmt.Fprintf(out, "  dead %q at %s, by %q: %q\n", d.Job, d.At.Format(time.DateTime),
			d.Worker, d.Err)
	}
	if len(s.Workers) == 0 && s.Waiting > 0 {
		fmt.Fprintf(out, "No worker is connected, so %s: start one with farm worker.\n",
			map[bool]string{true: "the job waits", false: "the jobs wait"}[s.Waiting == 1])
	}
}

// purge is the command that removes what is kept.
func purge() *cli.Command {
	var connect func() farm.Options
	var p farm.Purge
	return &cli.Command{
		Name:  "farm purge",
		About: "Removes what a farm keeps; give at least one of -queued, -results and -dead.",
		Flags: func(fs *flag.FlagSet) {
			connect = farm.ConnectFlags(fs)
			fs.BoolVar(&p.Queued, "queued", false, "remove jobs that wait")
			fs.BoolVar(&p.Results, "results", false, "remove results and contents")
			fs.BoolVar(&p.Dead, "dead", false, "remove dead letters")
		},
		Work: func(ctx context.Context, call *cli.Call) (err error) {
			p.Contents = p.Results
			if p == (farm.Purge{}) {
				return errors.New("nothing to remove: give -queued, -results or -dead")
			}
			f, err := join(ctx, connect())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, f.Close()) }()
			if err := f.Purge(ctx, p); err != nil {
				return err
			}
			fmt.Fprintln(call.Text, "purged")
			return nil
		},
	}
}

// serve is the command that is a server.
func serve() *cli.Command {
	var o farm.Options
	return &cli.Command{
		Name: "farm serve",
		About: "Runs a server on the loopback interface until it is interrupted, and prints its URL,\n" +
			"which holds a token.",
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&o.Dir, "dir", "",
				"keep the streams in `DIR` (default: a temporary directory)")
			fs.StringVar(&o.Name, "farm", "heddle", "the `NAME` of the farm")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			o.Listen = true
			f, err := farm.Open(ctx, o)
			if err != nil {
				return err
			}
			fmt.Fprintln(call.Text, f.URL())
			<-ctx.Done()
			return f.Close()
		},
	}
}
