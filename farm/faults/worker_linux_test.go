package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/farm/internal/history"
	"github.com/heddle-go/heddle/farm/internal/proc"
)

// A farmConfig is what a process of a farm is started with.
type farmConfig struct {
	URL      string
	History  string
	Marks    string
	Versions []string // of the job, that this process has
	Slots    int
	Replicas int
	MaxStore int64

	AckWait    time.Duration
	MaxDeliver int
	Recheck    time.Duration

	// Of a client.
	Mix     mix
	Version string // that it asks for
	Window  int    // how many calls are open at a time
	Timeout time.Duration
	Dir     string // if not "": it has the server, which keeps its streams there, and no URL
	Anew    bool   // it says all calls again; otherwise only those that its last life has not had
}

func (c farmConfig) options(r *runner) farm.Options {
	return farm.Options{URL: c.URL, Dir: c.Dir, Listen: c.Dir != "", Replicas: c.Replicas,
		MaxStore: c.MaxStore,
		AckWait:  c.AckWait, MaxDeliver: c.MaxDeliver, RetryDelay: 2 * time.Millisecond,
		Recheck: c.Recheck, Jobs: r.jobs(c.Versions...), Observe: r.note,
		Logger: slog.New(slog.NewTextHandler(os.Stderr,
			&slog.HandlerOptions{Level: slog.LevelWarn}))}
}

// join opens the farm, as often as it takes: it may be that there is no server just now.
func join(c *proc.Child, config farmConfig) (*farm.Farm, *runner, error) {
	log, err := history.Open(config.History, c.Name)
	if err != nil {
		return nil, nil, err
	}
	r := &runner{log: log, marks: config.Marks}
	for end := time.Now().Add(soon); ; time.Sleep(50 * time.Millisecond) {
		// A cluster that has no leader yet answers nothing.
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		f, err := farm.Open(ctx, config.options(r))
		cancel()
		if err == nil || time.Now().After(end) {
			return f, r, err
		}
		fmt.Fprintln(os.Stderr, "open:", err)
	}
}

// labour is the role of a worker. It works until it is told to end.
func labour(c *proc.Child) error {
	var config farmConfig
	if err := json.Unmarshal([]byte(c.Args[0]), &config); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for {
			line, err := c.Hear()
			if err != nil {
				cancel()
				return
			}
			obey(c, line)
		}
	}()
	for ctx.Err() == nil {
		f, r, err := join(c, config)
		if err != nil {
			return err
		}
		c.Say("ready")
		err = f.Work(ctx, r.jobs(config.Versions...), farm.WorkOptions{Slots: config.Slots})
		if err != nil { // the server has gone before the worker could begin
			fmt.Fprintln(os.Stderr, "work:", err)
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
