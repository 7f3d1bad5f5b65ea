// The command load floods servers on loopback with batch work and says how long clicks take
// meanwhile, the short requests that a person waits for.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/heddle-go/heddle/contrib/http/internal/load"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

func main() { command().Main() }

func command() *cli.Command {
	var o load.Options
	var ways, serve string
	return &cli.Command{
		Name: "load", Unit: "turn",
		About: "Floods servers on loopback with batch work and prints how long clicks take, the\n" +
			"short requests that a person waits for. Each way to run the handlers has its turns.",
		Help: func(w io.Writer) {
			fmt.Fprintln(w, "ways:")
			load.About(w)
		},
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&ways, "ways", strings.Join(load.Names(), ","),
				"the `NAMES` of the ways, separated by commas; ratios are to the first")
			fs.IntVar(&o.Workers, "workers", runtime.NumCPU(),
				"`number` of workers of each way, and of processors of the server, 1 to 256")
			fs.IntVar(&o.Turns, "turns", 3, "`number` of turns of each way, 1 to 1000")
			fs.DurationVar(&o.For, "for", time.Second,
				"send requests for this `time` in a turn, to 1m")
			fs.Float64Var(&o.Clicks, "clicks", 0.2,
				"send clicks that keep this `number` of processors busy, 0.01 to 100")
			fs.Float64Var(&o.Batch, "batch", 4,
				"send batch work that keeps this `number` of processors busy, 0.01 to 100")
			fs.StringVar(&serve, "serve", "",
				"be the server of the way `NAME` until standard input ends")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			o.Ways = strings.Split(ways, ",")
			if err := check(&o, serve); err != nil {
				return err
			}
			if serve != "" {
				return load.Serve(serve, o.Workers, os.Stdin, os.Stdout)
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			o.Server = func(ctx context.Context, way string) *exec.Cmd {
				return cli.Process(ctx, self, "-serve", way, "-workers", strconv.Itoa(o.Workers))
			}
			done := 0
			call.Progress.At("starting a server", 0, len(o.Ways)*o.Turns)
			_, err = load.Run(ctx, o, call.Text, func() {
				done++
				call.Progress.Clear()
				call.Progress.At("flooding servers", min(done, len(o.Ways)*o.Turns-1),
					len(o.Ways)*o.Turns)
			})
			return err
		},
	}
}

// check says what is out of its range.
func check(o *load.Options, serve string) error {
	for _, name := range append(slices.Clone(o.Ways), serve) {
		if name != "" && !slices.Contains(load.Names(), name) {
			return fmt.Errorf("there is no way %q", name)
		}
	}
	switch {
	case o.Workers < 1 || o.Workers > 256:
		return fmt.Errorf("-workers %d is not from 1 to 256", o.Workers)
	case o.Turns < 1 || o.Turns > 1000:
		return fmt.Errorf("-turns %d is not from 1 to 1000", o.Turns)
	case o.For <= 0 || o.For > time.Minute:
		return fmt.Errorf("-for %v is not above 0 and to 1m", o.For)
	case o.Clicks < 0.01 || o.Clicks > 100:
		return fmt.Errorf("-clicks %v is not from 0.01 to 100", o.Clicks)
	case o.Batch < 0.01 || o.Batch > 100:
		return fmt.Errorf("-batch %v is not from 0.01 to 100", o.Batch)
	}
	return nil
}
