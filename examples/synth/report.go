package main

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/heddle-go/heddle/examples/internal/figures"
	"github.com/heddle-go/heddle/examples/synth/internal/dsp"
	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// A report is what is printed, as text or as JSON.
type report struct {
	File        string  `json:"file"`         // that the tune was written to
	TuneSeconds float64 `json:"tune_seconds"` // how long it is
	RenderMS    float64 `json:"render_ms"`    // how long it took to make it

	PeriodMS float64 `json:"period_ms"` // from one beat to the next
	Workers  int     `json:"workers"`   // of plain Go and Heddle
	Cores    int     `json:"cores"`
	// blocks that were measured on one thread, without a clock
	Blocks  []blockTime `json:"blocks"`
	Voices  int         `json:"voices"`  // that each version played, or the tune has
	Load    float64     `json:"load"`    // the share of a period for which these keep a thread busy
	Seconds float64     `json:"seconds"` // for which each version played
	Search  bool        `json:"search"`  // what each version sustains was searched for
	Trial   float64     `json:"trial_seconds"`
	// a version keeps up if it misses no more of 100 blocks
	AllowedMisses float64   `json:"allowed_misses_percent"`
	Versions      []version `json:"versions"`      // in the order of engines
	Digest        string    `json:"digest"`        // of the samples that serial has played
	Equal         bool      `json:"digests_equal"` // all versions have played the same
	Disturbed     bool      `json:"disturbed"`     // serial missed blocks with time to spare
	Findings      []string  `json:"findings"`      // what else the figures say
	Conclusion    string    `json:"conclusion"`
}

// A version is the figures of one. Times are from a beat to the end of its block.
type version struct {
	Name  string  `json:"name"`
	P50   float64 `json:"ms_p50"`
	P99   float64 `json:"ms_p99"`
	P999  float64 `json:"ms_p999"`
	Beats int     `json:"beats"`
	// beats at whose end there was no block, or a tail was late
	Missed    int     `json:"missed"`
	LateTails int     `json:"late_tails"` // counted in missed
	CPU       float64 `json:"cpu"`        // processors used; -1: not known here
	Sustains  int     `json:"sustains"`   // voices; 0: it kept up in no trial; -1: not searched for
	Trials    []trial `json:"trials"`     // of the search
}

// missedShare returns the share of the beats that were missed.
func (v *version) missedShare() float64 { return float64(v.Missed) / float64(max(1, v.Beats)) }

// least returns the smallest number of voices that was tried.
func (v *version) least() int {
	least := maxVoices
	for _, t := range v.Trials {
		least = min(least, t.Voices)
	}
	return least
}

// begin fills in what the options say.
func (r *report) begin(o *options) {
	r.PeriodMS, r.Workers, r.Cores = figures.MS(period), o.workers, runtime.GOMAXPROCS(0)
	r.Voices, r.Search = o.voices, o.voices == 0
	r.Seconds, r.AllowedMisses = o.long.Seconds(), o.misses
	if r.Search {
		r.Trial = o.trial.Seconds()
	}
}

// measure fills in how long blocks take one thread, and chooses the number of voices if that is
// still 0.
func (r *report) measure(block func(voices int) (time.Duration, error),
	keepsUp func(voices int) (bool, error)) error {
	if r.Voices != 0 {
		took, err := block(r.Voices)
		if err != nil {
			return err
		}
		b := blockTime{r.Voices, figures.MS(took), took}
		r.Blocks, r.Load = append(r.Blocks, b), figures.Round(b.load())
		return nil
	}
	best, list, err := choose(block)
	if err == nil {
		best, list, err = ease(best, list, block, keepsUp)
	}
	if err != nil {
		return err
	}
	r.Blocks, r.Voices, r.Load = list, best.Voices, figures.Round(best.load())
	return nil
}

// played fills in what a contestant did.
func (r *report) played(c *contestant) {
	q := figures.Quantiles(c.times, 0.5, 0.99, 0.999)
	v := version{
		Name: c.name, P50: figures.MS(q[0]), P99: figures.MS(q[1]), P999: figures.MS(q[2]),
		Beats: c.total, Missed: c.missed, LateTails: c.late, CPU: -1, Sustains: -1,
		Trials: []trial{},
	}
	if c.counts {
		v.CPU = figures.Round(float64(c.cpu) / float64(c.wall))
	}
	r.Versions = append(r.Versions, v)
}

// compared fills in whether all have played the same samples.
func (r *report) compared(list []*contestant) {
	r.Equal = true
	for _, c := range list {
		r.Equal = r.Equal && c.digest == list[0].digest
	}
	r.Digest = fmt.Sprintf("%016x", list[0].digest)
}

// sustains fills in what the search has found for a version.
func (r *report) sustains(version int, s *search) {
	v := &r.Versions[version]
	v.Sustains, v.Trials = s.sustained(), s.trials
}

// intro says what is about to happen.
func (r *report) intro(w io.Writer) {
	fmt.Fprintln(w, wrap(fmt.Sprintf("synth plays Pachelbel's canon by the clock of a sound card. "+
		"Every %.3f ms there is a beat, and the card asks for a block: %d samples of sound, ready "+
		"by the next beat. A block that comes later is missed, and you would hear a click. (No "+
		"sound comes out here. -o FILE writes the tune to a file.)", r.PeriodMS, dsp.Block)))
	fmt.Fprintf(w, `
Three versions compute the same blocks:
  serial    one thread
  plain Go  a pool of goroutines, written by hand for this program (%[1]s)
  Heddle    a task graph (%[1]s)
`, verdict.Count(r.Workers, "worker"))
	if s := r.estimate(); s > 5 {
		fmt.Fprintf(w, "Please wait for about %.0f s.\n", s)
	}
}

// estimate returns about how long everything takes, in seconds.
func (r *report) estimate() float64 {
	const (
		start = 2.0  // to measure blocks, and to build what plays
		each  = 0.05 // to build it again for a trial
		used  = 0.7  // of a trial, since those that fail end early
	)
	n := float64(len(engines))
	s := start + n*r.Seconds
	if r.Search {
		s += n * rounds * (each + used*r.Trial)
	}
	return math.Round(s/5) * 5
}

// choice says which number of voices is played, and why.
func (r *report) choice(w io.Writer) {
	first, chosen := r.Blocks[0], r.Blocks[0]
	for _, b := range r.Blocks {
		if b.Voices == r.Voices {
			chosen = b
		}
	}
	share := fmt.Sprintf("%.0f %%", 100*r.Load)
	if math.Abs(r.Load-2.0/3) < 0.05 {
		share = "two thirds"
	}
	text := fmt.Sprintf("One block of %s takes %.3f ms on one thread",
		verdict.Count(first.Voices, "voice"), first.MS)
	if r.Search {
		text += fmt.Sprintf("; %s (%.3f ms) keep it busy for %s of the %.3f ms that a block may "+
			"take. So each version plays %s for %v s. Then a search finds out how many voices each "+
			"version sustains.", verdict.Count(chosen.Voices, "voice"), chosen.MS, share,
			r.PeriodMS, verdict.Count(r.Voices, "voice"), r.Seconds)
	} else {
		text += fmt.Sprintf(", which is %s of the %.3f ms that a block may take. Each version "+
			"plays %s for %v s.", share, r.PeriodMS, verdict.Count(r.Voices, "voice"), r.Seconds)
	}
	fmt.Fprintf(w, "\n%s\n", wrap(text))
}

// table prints the figures and what they say.
func (r *report) table(w io.Writer) {
	fmt.Fprintf(w, "\n%-9s %8s %8s %11s %8s", "", "p50", "p99", "missed", "CPU")
	if r.Search {
		fmt.Fprintf(w, " %14s", "sustains")
	}
	fmt.Fprintln(w)
	for i := range r.Versions {
		v := &r.Versions[i]
		cpu := "unknown"
		if v.CPU >= 0 {
			cpu = fmt.Sprintf("%.2f", v.CPU)
		}
		fmt.Fprintf(w, "%-9s %5.3f ms %5.3f ms %11s %8s", v.Name, v.P50, v.P99,
			fmt.Sprintf("%d/%d", v.Missed, v.Beats), cpu)
		switch {
		case v.Sustains > 0:
			fmt.Fprintf(w, " %14s", verdict.Count(v.Sustains, "voice"))
		case v.Sustains == 0:
			fmt.Fprintf(w, " %14s", fmt.Sprintf("not even %d", v.least()))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, `
p50       half of the blocks were ready within this time after their beat
p99       99 of 100 blocks were ready within this time
missed    blocks that were not ready by the next beat, of all beats
CPU       processors that the version kept busy; 1.00 is one whole processor
`)
	if r.Search {
		fmt.Fprintf(w, `sustains  the most voices of which the version misses at most %v %% of the blocks,
          found by %d trials of %v s for each version
`, r.AllowedMisses, rounds, r.Trial)
	}
	fmt.Fprintln(w)
	for _, s := range r.Findings {
		fmt.Fprintln(w, wrap(s))
	}
	fmt.Fprintf(w, "\n%s\n", wrap(r.Conclusion))
}

// columns is the greatest length of a printed line.
const columns = 80

// wrap breaks a text into lines.
func wrap(text string) string {
	var b strings.Builder
	length := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case length == 0:
		case length+1+len(word) > columns:
			b.WriteByte('\n')
			length = 0
		default:
			b.WriteByte(' ')
			length++
		}
		b.WriteString(word)
		length += len(word)
	}
	return b.String()
}
