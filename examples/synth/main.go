package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"github.com/heddle-go/heddle/examples/internal/engine/audio"
	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/examples/synth/internal/score"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

func main() { synthesizer().Main() }

// Limits and defaults of the flags.
const (
	maxWorkers = 1024 // more a task system does not take
	maxVoices  = 4096
	maxFor     = time.Hour
	maxMisses  = 1_000_000

	usualVoices = 84
	usualFor    = 2 * time.Second
	sustainFor  = 30 * time.Second
)

// options are the flags.
type options struct {
	file    string
	voices  voices
	long    time.Duration // 0: not given, or given as 0
	misses  int
	workers int
}

// voices is the value of -voices: a number, or 0 for as many as can be.
type voices int

// String implements flag.Value.
func (v *voices) String() string {
	if *v == 0 {
		return "until"
	}
	return strconv.Itoa(int(*v))
}

// Set implements flag.Value.
func (v *voices) Set(text string) error {
	n, err := strconv.Atoi(text)
	if text != "until" && err != nil {
		return errors.New(`want a number or "until"`)
	}
	if *v = voices(n); n == 0 && text != "until" {
		*v = -1 // out of range
	}
	return nil
}

// synthesizer is the command without its process.
func synthesizer() *cli.Command {
	o := options{voices: usualVoices}
	rep := report{Versions: []version{}}
	return &cli.Command{
		Name: "synth", Unit: "slice", Flags: o.flags,
		Work: func(ctx context.Context, call *cli.Call) error {
			if !call.Given["for"] {
				o.long = usualFor
				if o.voices == 0 {
					o.long = sustainFor
				}
			}
			if err := synthesize(ctx, o, &rep, call.Progress); err != nil {
				return err
			}
			if !call.JSON {
				rep.table(call.Text)
			}
			if rep.Digest != "" && !rep.Equal {
				return cli.ErrFailed
			}
			return nil
		},
		JSON: func() any { return &rep },
	}
}

func (o *options) flags(fs *flag.FlagSet) {
	fs.StringVar(&o.file, "o", "tune.wav", "write the tune to `FILE`; empty: do not make it")
	fs.Var(&o.voices, "voices",
		"`HOW` many voices play, 1 to "+strconv.Itoa(maxVoices)+
			`, or "until": find out how many each version sustains`)
	fs.DurationVar(&o.long, "for", 0,
		"how long each version plays, up to "+maxFor.String()+"; 0s: not at all (default "+
			usualFor.String()+", with -voices until "+sustainFor.String()+")")
	fs.IntVar(&o.misses, "misses", 0,
		"with -voices until: how many blocks may be missed within -for, 0 to "+
			strconv.Itoa(maxMisses))
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0),
		"number of workers, 1 to "+strconv.Itoa(maxWorkers))
}

// validate reports a value out of range.
func (o *options) validate() error {
	switch {
	case o.voices < 0 || o.voices > maxVoices:
		return fmt.Errorf(`-voices: want 1 to %d, or "until"`, maxVoices)
	case o.long < 0 || o.long > maxFor:
		return fmt.Errorf("-for %v: want 0s to %v", o.long, maxFor)
	case o.voices == 0 && o.long == 0:
		return errors.New("-for 0s: want more with -voices until")
	case o.misses < 0 || o.misses > maxMisses:
		return fmt.Errorf("-misses %d: want 0 to %d", o.misses, maxMisses)
	case o.misses > 0 && o.voices != 0:
		return errors.New("-misses: want -voices until with it")
	case o.workers < 1 || o.workers > maxWorkers:
		return fmt.Errorf("-workers %d: want 1 to %d", o.workers, maxWorkers)
	}
	return nil
}

// blocksIn returns how many blocks a time has, one at least unless it is 0.
func blocksIn(d time.Duration) int {
	const block = dsp.Block * time.Second
	return int((d*dsp.Rate + block - 1) / block)
}

// synthesize does what the options ask and fills the report.
func synthesize(ctx context.Context, o options, rep *report, show *cli.Progress) (err error) {
	if err := o.validate(); err != nil {
		return err
	}
	piece := score.Canon()
	rep.name, rep.Voices, rep.Workers, rep.Seconds = piece.Name, int(o.voices), o.workers,
		o.long.Seconds()
	file, err := cli.Create("o", o.file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	defer show.Clear()
	if o.file != "" {
		n := int(o.voices)
		if n == 0 {
			n = usualVoices
		}
		tune, err := render(ctx, engines[len(engines)-1], piece, n, o.workers, show)
		if err != nil {
			return err
		}
		if err := file.Write(func(w io.Writer) error {
			return audio.WriteWAV(w,
				tune.samples)
		}); err != nil {
			return err
		}
		rep.File, rep.TuneSeconds, rep.RenderMS = o.file, figures.Round(tune.seconds()),
			figures.MS(tune.took)
	}
	switch {
	case o.long == 0:
	case o.voices == 0:
		list, most, err := sustain(ctx, piece, o.workers, o.long, o.misses, show)
		if err != nil {
			return err
		}
		for i, c := range list {
			rep.played(c, most[i])
		}
	default:
		list, err := duel(ctx, piece, int(o.voices), o.workers, blocksIn(o.long), show)
		if err != nil {
			return err
		}
		for _, c := range list {
			rep.played(c, int(o.voices))
		}
		rep.compared(list)
	}
	return nil
}
