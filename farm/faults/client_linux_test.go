package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/farm/internal/history"
	"github.com/heddle-go/heddle/farm/internal/proc"
	"github.com/heddle-go/heddle/taskgraph"
)

// ask is the role of a client. It calls what its mix says, so many at a time, says how many it has
// had, and ends.
func ask(c *proc.Child) error {
	var config farmConfig
	if err := json.Unmarshal([]byte(c.Args[0]), &config); err != nil {
		return err
	}
	f, r, err := join(c, config)
	if err != nil {
		return err
	}
	c.Say("ready " + f.URL())
	if config.Dir != "" { // workers come before it begins
		if _, err := c.Hear(); err != nil {
			return err
		}
	}
	go func() {
		for line, err := c.Hear(); err == nil; line, err = c.Hear() {
			obey(c, line)
		}
	}()
	sys := taskgraph.Start(taskgraph.Options{Workers: 4})
	calls := config.Mix.calls()
	results := make([]*farm.Result, len(calls))
	done := make(chan int, len(calls)+16) // or a completion that comes twice would block
	window := make(chan struct{}, config.Window)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range done {
				complete(r.log, config.Version, i, calls[i], results[i])
				<-window
				c.Say(fmt.Sprint("completed ", i))
			}
		})
	}
	var open sync.WaitGroup
	for i, call := range calls {
		window <- struct{}{}
		open.Add(1)
		must(r.log.Append(history.Record{Kind: history.Submit, Call: callOf(config.Version, i),
			Key: keyOf(config.Version, call.work.arg())}))
		o := farm.CallOptions{Version: config.Version, Where: farm.Remote,
			Timeout: config.Timeout}
		if call.auto {
			o.Where = farm.Auto
		}
		for _, j := range call.from {
			o.From = append(o.From, results[j])
		}
		if call.after >= 0 {
			o.After = []taskgraph.Event{results[call.after].Event()}
		}
		results[i] = farm.Call(sys, f, jobName, farm.Bytes(call.work.arg()), o)
		first := true
		results[i].Event().OnComplete(func(error) {
			done <- i
			if first {
				first = false
				open.Done()
			}
		})
	}
	open.Wait()
	close(done)
	all.Wait()
	if err := f.Close(); err != nil {
		return err
	}
	_ = sys.Shutdown(context.Background()) // its failures are in the history
	c.Say("done")
	return nil
}

// callOf is how a call stands in the history: clients of two versions have calls of their own.
func callOf(version string, i int) string { return fmt.Sprint(version, "/", i) }

// complete tells the history what a call has come to.
func complete(log *history.Log, version string, i int, c call, r *farm.Result) {
	at := history.Record{Kind: history.Complete, Call: callOf(version, i),
		Key: keyOf(version, c.work.arg())}
	result, err := r.Get(context.Background())
	at.Result = short(result)
	if err != nil {
		at.Failed, at.Result = true, err.Error()
	}
	must(log.Append(at))
}
