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
	maxWorkers = 1024 // a task system takes no more
	maxVoices  = 32768
	maxFor     = time.Hour
	maxMisses  = 50

	usualVoices = 84 // of the tune that is written to a file
	usualFor    = 2 * time.Second
	usualTrial  = time.Second / 2
	usualMisses = 5
)

// options are the flags.
type options struct {
	file    string
	voices  int // 0: to be chosen
	long    time.Duration
	trial   time.Duration
	misses  float64 // of 100
	workers int
}

// synthesizer is the command without its process.
func synthesizer() *cli.Command {
	var o options
	rep := report{Blocks: []blockTime{}, Versions: []version{}, Findings: []string{}}
	return &cli.Command{
		Name: "synth", Unit: "turn", Flags: o.flags,
		About: "Without flags, synth chooses a number of voices, plays them in three versions, " +
			"and finds out\nhow many voices each version sustains.",
		Work: func(ctx context.Context, call *cli.Call) error {
			text := call.Text
			if call.JSON {
				text = io.Discard
			}
			if err := o.validate(call.Given); err != nil {
				return err
			}
			defer call.Progress.Clear()
			if o.file != "" {
				return o.write(ctx, &rep, text, call.Progress)
			}
			return o.compare(ctx, &rep, text, call.Progress)
		},
		JSON: func() any { return &rep },
	}
}

func (o *options) flags(fs *flag.FlagSet) {
	fs.StringVar(&o.file, "o", "",
		"write the tune to `FILE`, in the WAV format, and measure nothing")
	fs.IntVar(&o.voices, "voices", 0,
		"play `N` voices, 1 to "+strconv.Itoa(maxVoices)+", and do not search (default: choose N "+
			"such that\none thread is busy for two thirds of each period; with -o: "+
			strconv.Itoa(usualVoices)+")")
	fs.DurationVar(&o.long, "for", usualFor,
		"how long each version plays, up to "+maxFor.String())
	fs.DurationVar(&o.trial, "trial", usualTrial,
		"how long the search tries a number of voices, up to "+maxFor.String())
	fs.Float64Var(&o.misses, "misses", usualMisses,
		"a version keeps up if it misses at most this `PERCENTAGE` of the blocks, 0 to "+
			strconv.Itoa(maxMisses))
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0),
		"number of workers, 1 to "+strconv.Itoa(maxWorkers))
}

// validate reports a value out of range, and flags that do not go together.
func (o *options) validate(given map[string]bool) error {
	switch {
	case (o.voices != 0 || given["voices"]) && (o.voices < 1 || o.voices > maxVoices):
		return fmt.Errorf("-voices %d: want 1 to %d", o.voices, maxVoices)
	case o.long <= 0 || o.long > maxFor:
		return fmt.Errorf("-for %v: want more than 0s, and at most %v", o.long, maxFor)
	case o.trial <= 0 || o.trial > maxFor:
		return fmt.Errorf("-trial %v: want more than 0s, and at most %v", o.trial, maxFor)
	case !(o.misses >= 0 && o.misses <= maxMisses):
		return fmt.Errorf("-misses %v: want 0 to %d", o.misses, maxMisses)
	case o.workers < 1 || o.workers > maxWorkers:
		return fmt.Errorf("-workers %d: want 1 to %d", o.workers, maxWorkers)
	case given["trial"] && o.voices != 0:
		return errors.New("-trial: want it without -voices, which searches for nothing")
	}
	for _, name := range []string{"for", "trial", "misses"} {
		if given[name] && o.file != "" {
			return fmt.Errorf("-%s: want it without -o, which measures nothing", name)
		}
	}
	return nil
}

// allowed returns how many of a number of blocks a version may miss and still keep up.
func (o *options) allowed(blocks int) int { return int(o.misses * float64(blocks) / 100) }

// blocksIn returns how many blocks a time has, at least one.
func blocksIn(d time.Duration) int {
	const block = dsp.Block * time.Second
	return max(1, int((d*dsp.Rate+block-1)/block))
}

// write makes the tune and writes it to the file.
func (o *options) write(ctx context.Context, rep *report, text io.Writer,
	show *cli.Progress) (err error) {
	piece := score.Canon()
	rep.Workers, rep.Voices = o.workers, o.voices
	if o.voices == 0 {
		rep.Voices = usualVoices
	}
	file, err := cli.Create("o", o.file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	tune, err := render(ctx, engines[len(engines)-1], piece, rep.Voices, o.workers, show)
	if err != nil {
		return err
	}
	if err := file.Write(func(w io.Writer) error {
		return audio.WriteWAV(w, tune.samples)
	}); err != nil {
		return err
	}
	rep.File, rep.TuneSeconds, rep.RenderMS = o.file, figures.Round(tune.seconds()),
		figures.MS(tune.took)
	rep.Conclusion = rep.written(piece.Name)
	show.Clear()
	fmt.Fprintln(text, rep.Conclusion)
	return nil
}

// compare plays the voices in all versions, searches for how many each one sustains if their number
// was not given, and says what to conclude. What it prints comes in parts, as soon as each is
// known.
func (o *options) compare(ctx context.Context, rep *report, text io.Writer,
	show *cli.Progress) error {
	piece := score.Canon()
	print := func(part func(w io.Writer)) {
		show.Clear()
		part(text)
	}
	rep.begin(o)
	print(rep.intro)
	if err := rep.measure(func(voices int) (time.Duration, error) {
		return medianBlock(ctx, piece, voices, show)
	}, func(voices int) (bool, error) {
		show.Show(fmt.Sprintf("one thread at the beats, %d voices", voices))
		t, err := attempt(ctx, engines[0], piece, voices, o)
		return t.KeptUp, err
	}); err != nil {
		return err
	}
	print(rep.choice)
	blocks, turns := blocksIn(o.long), 0
	if rep.Search {
		turns = rounds * len(engines)
	}
	list, err := duel(ctx, piece, rep.Voices, o.workers, blocks, turns, show)
	if err != nil {
		return err
	}
	for _, c := range list {
		rep.played(c)
	}
	rep.compared(list)
	if rep.Search {
		found, err := seek(rep.Voices, searchProgress(show, slicesIn(blocks)*len(engines)),
			func(kind engineKind, voices int) (trial, error) {
				return attempt(ctx, kind, piece, voices, o)
			})
		if err != nil {
			return err
		}
		for i, s := range found {
			rep.sustains(i, s)
		}
	}
	rep.conclude()
	print(rep.table)
	if !rep.Equal {
		return cli.ErrFailed
	}
	return nil
}
