package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/assets/store"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// A loadReport is what load prints. Times are in milliseconds.
type loadReport struct {
	Resources int     `json:"resources"` // what there is, and what that led to
	Failed    int     `json:"failed"`
	Bytes     int64   `json:"bytes"`     // that were fetched
	Loads     int64   `json:"loads"`     // with those of what was loaded again
	InFlight  int64   `json:"in_flight"` // the most bytes at a time
	Workers   int     `json:"workers"`
	Platform  string  `json:"platform"`
	Indexed   bool    `json:"indexed"` // by a registry, with hashes that were compared
	MS        float64 `json:"ms"`
	SerialMS  float64 `json:"serial_ms"` // 0: was not asked for
	// may differ from Failed where a circle was cut elsewhere
	SerialFailed int       `json:"serial_failed"`
	AgainMS      float64   `json:"again_ms"` // what Speedup compares with
	Speedup      float64   `json:"speedup"`
	Types        []typeRow `json:"types"`
	Lanes        []laneRow `json:"lanes"`
	Failures     []failure `json:"failures"`
}

// A typeRow says what was done for the resources of one type.
type typeRow struct {
	Type   string  `json:"type"`
	Count  int     `json:"count"`
	Failed int     `json:"failed"`
	Bytes  int64   `json:"bytes"`
	MS     float64 `json:"ms"` // in pipes
}

// A laneRow says what items waited for.
type laneRow struct {
	Lane     string  `json:"lane"`
	Runs     int     `json:"runs"` // of pipes
	WaitedMS float64 `json:"waited_ms"`
	RanMS    float64 `json:"ran_ms"`
}

// A failure is a resource that could not be loaded.
type failure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// loadFlags are the flags of load.
type loadFlags struct {
	registry, platform, cache string
	workers                   int
	kept                      int64
	serial                    bool
}

// aheadOfKept is how many resources are loaded at a time where few are to be kept.
const aheadOfKept = 256

// loader is the command load.
func loader() *cli.Command {
	var o loadFlags
	var rep loadReport
	return &cli.Command{
		Name: "assets load", Arg: "DIR|ARCHIVE|URL",
		About: "Loads all resources of a directory or an archive (zip or tar), one resource with what\n" +
			"it depends on by its URL, or all that assets serve has, by a URL that ends in a slash.",
		Flags: func(fs *flag.FlagSet) {
			registryFlag(fs, &o.registry)
			workersFlag(fs, &o.workers)
			fs.StringVar(&o.platform, "platform", "", "load variants for `PLATFORM`")
			fs.StringVar(&o.cache, "cache", "", "keep decoded resources in `DIR` for the next run")
			fs.Int64Var(&o.kept, "kept", 0,
				"release each resource when it is ready, and keep at most `BYTES` (default: keep all)")
			fs.BoolVar(&o.serial, "serial", false,
				"also load everything one after the other, then again with the workers, and compare")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			err := load(ctx, call, &o, &rep)
			if err == nil && !call.JSON {
				rep.print(call.Text)
			}
			if err == nil && rep.Failed > 0 {
				return cli.ErrFailed
			}
			return err
		},
		JSON: func() any { return &rep },
	}
}

func (o *loadFlags) validate(call *cli.Call) error {
	switch {
	case o.kept < 0:
		return fmt.Errorf("-kept %d: want 0 or more", o.kept)
	case o.serial && o.cache != "":
		return errors.New("-serial: want no -cache, from which one of the two would take all")
	}
	return checkWorkers(call, o.workers)
}

// load does what the flags ask and fills the report. What could not be loaded goes to standard
// error, a line each.
func load(ctx context.Context, call *cli.Call, o *loadFlags, rep *loadReport) (err error) {
	if err := o.validate(call); err != nil {
		return err
	}
	var cache *store.Cache
	if o.cache != "" {
		if cache, err = store.OpenCache(o.cache, store.CacheOptions{}); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, cache.Close()) }()
	}
	src, err := openSource(ctx, call.Arg, o.registry, cache)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.close()) }()
	rep.Workers, rep.Platform, rep.Indexed = o.workers, o.platform, src.indexed
	if rep.Workers == 0 {
		rep.Workers = runtime.GOMAXPROCS(0)
	}
	plan := pipes.Standard(pipes.StandardOptions{By: decoders(), Disk: src.disk,
		Network: src.network,
		Cache:   cache})
	if err := rep.parallel(ctx, call, o, src, plan); err != nil {
		return err
	}
	for _, f := range rep.Failures {
		fmt.Fprintf(call.Stderr, "assets load: %s\n", f.Error)
	}
	if !o.serial {
		return nil
	}
	took, failed, err := serial(ctx, call, o, src, plan)
	if err != nil {
		return err
	}
	again, err := o.again(ctx, call, src, plan)
	if err != nil {
		return err
	}
	rep.SerialMS, rep.SerialFailed, rep.AgainMS = ms(took), failed, ms(again)
	rep.Speedup = round(rep.SerialMS / rep.AgainMS)
	return nil
}

// options returns what everything is loaded with, and how many resources at a time.
func (o *loadFlags) options(call *cli.Call, src *source) (opts assets.Options, ahead int) {
	opts = assets.Options{Registry: src.registry, Platform: assets.Platform(o.platform)}
	if !call.Given["kept"] {
		return opts, max(len(src.ids), 1)
	}
	opts.Keeper = assets.NewKeeper(o.kept)
	opts.Types = map[string]assets.TypeRule{"": {Keep: assets.KeepCached}}
	return opts, aheadOfKept
}

// again loads everything as parallel did, but nobody looks on: to be compared with serial, which
// nobody looked on either, and which found the files and the memory of the process there as well.
func (o *loadFlags) again(ctx context.Context, call *cli.Call, src *source, plan []assets.Pipe) (
	took time.Duration, err error) {
	runtime.GC()
	opts, ahead := o.options(call, src)
	e, err := start(o.workers, assets.PipelineOptions{Plan: plan}, opts)
	if err != nil {
		return 0, err
	}
	b := newBar(call, "again", len(src.ids))
	begin := time.Now()
	err = e.all(ctx, src.ids, ahead, func(_ int, h *assets.Handle) {
		if call.Given["kept"] {
			e.m.Release(h)
		}
		b.add()
	})
	took = time.Since(begin)
	b.clear()
	return took, errors.Join(err, e.close())
}

// parallel loads everything and fills the report.
func (rep *loadReport) parallel(ctx context.Context, call *cli.Call, o *loadFlags, src *source,
	plan []assets.Pipe) error {
	c := &collector{registry: src.registry, rows: map[assets.ID]*typeRow{},
		types: map[string]*typeRow{}, lanes: map[assets.Lane]*laneRow{}}
	opts, ahead := o.options(call, src)
	e, err := start(o.workers, assets.PipelineOptions{Plan: plan, Observe: c.observe}, opts)
	if err != nil {
		return err
	}
	if err := e.load.Plan().Insert("verify", c.weigh()); err != nil {
		return errors.Join(err, e.close())
	}
	b := newBar(call, "load", len(src.ids))
	begin := time.Now()
	err = e.all(ctx, src.ids, ahead, func(_ int, h *assets.Handle) {
		if err := h.Err(); err != nil {
			rep.Failures = append(rep.Failures, failure{string(h.ID()), oneLine(err)})
			c.row(h.ID()).Failed++
		}
		if call.Given["kept"] {
			e.m.Release(h)
		}
		b.add()
	})
	rep.MS = ms(time.Since(begin))
	b.clear()
	rep.Failed, rep.Loads = len(rep.Failures), e.m.Stats().Started
	_, rep.InFlight = e.load.InFlight()
	err = errors.Join(err, e.close())
	c.fill(rep)
	return err
}

// A collector sums up what pipes did.
type collector struct {
	registry assets.Registry

	mu    sync.Mutex
	rows  map[assets.ID]*typeRow // of what began its pipes
	types map[string]*typeRow
	lanes map[assets.Lane]*laneRow
}

// weighing is the name of the pipe of weigh, which is no work.
const weighing = "weigh"

// weigh returns the pipe that counts what was fetched.
func (c *collector) weigh() assets.Pipe {
	return assets.Pipe{Name: weighing, Run: func(_ context.Context, it *assets.Item) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.row(it.ID).Bytes += int64(len(it.Data))
		return nil
	}}
}

// row returns the row of a resource's type.
func (c *collector) row(id assets.ID) *typeRow {
	typ, _ := describe(string(id))
	if g, ok := c.registry.GUID(id); ok {
		info, _ := c.registry.Info(g)
		typ = info.Type
	}
	r := c.types[typ]
	if r == nil {
		r = &typeRow{Type: typ}
		c.types[typ] = r
	}
	return r
}

// observe is told of each run of a pipe.
func (c *collector) observe(s assets.Step) {
	if s.Pipe == weighing {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.rows[s.ID]
	if r == nil {
		r = c.row(s.ID)
		c.rows[s.ID] = r
		r.Count++
	}
	r.MS += s.Ran.Seconds() * 1e3
	l := c.lanes[s.Lane]
	if l == nil {
		l = &laneRow{Lane: string(s.Lane)}
		c.lanes[s.Lane] = l
	}
	l.Runs++
	l.WaitedMS += s.Waited.Seconds() * 1e3
	l.RanMS += s.Ran.Seconds() * 1e3
}

// fill puts the sums into a report.
func (c *collector) fill(rep *loadReport) {
	for _, name := range slices.Sorted(maps.Keys(c.types)) {
		r := *c.types[name]
		r.MS = round(r.MS)
		rep.Types = append(rep.Types, r)
		rep.Resources += r.Count
		rep.Bytes += r.Bytes
	}
	for _, name := range slices.Sorted(maps.Keys(c.lanes)) {
		l := *c.lanes[name]
		l.WaitedMS, l.RanMS = round(l.WaitedMS), round(l.RanMS)
		rep.Lanes = append(rep.Lanes, l)
	}
}

// round rounds to three decimals.
func round(x float64) float64 { return math.Round(x*1e3) / 1e3 }

func ms(d time.Duration) float64 { return round(d.Seconds() * 1e3) }

func (rep *loadReport) print(w io.Writer) {
	table(w, func(w io.Writer) {
		fmt.Fprintln(w, "type\tcount\tfailed\tbytes\ttime in pipes\t")
		for _, r := range rep.Types {
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.1f ms\t\n", r.Type, r.Count, r.Failed, r.Bytes, r.MS)
		}
		fmt.Fprintf(w, "all\t%d\t%d\t%d\t\t\n", rep.Resources, rep.Failed, rep.Bytes)
	})
	fmt.Fprintln(w)
	table(w, func(w io.Writer) {
		fmt.Fprintln(w, "lane\truns\twaited for it\tran in it\t")
		for _, l := range rep.Lanes {
			fmt.Fprintf(w, "%s\t%d\t%.1f ms\t%.1f ms\t\n", l.Lane, l.Runs, l.WaitedMS, l.RanMS)
		}
	})
	fmt.Fprint(w, "\nTimes in the tables are sums over all resources, which wait and run side by "+
		"side.\n\n")
	for _, sentence := range rep.conclusion() {
		fmt.Fprintln(w, sentence)
	}
}

// conclusion is what the run says in words, a sentence a line.
func (rep *loadReport) conclusion() []string {
	workers := verdict.Count(rep.Workers, "worker")
	lines := []string{fmt.Sprintf("Heddle loaded %s in %.1f ms with %s; %d failed. "+
		"At most %d bytes were in flight.", verdict.Count(rep.Resources, "resource"), rep.MS,
		workers, rep.Failed, rep.InFlight)}
	if more := rep.Loads - int64(rep.Resources); more > 0 {
		lines[0] += fmt.Sprintf(" %d loads were repeated.", more)
	}
	if rep.SerialMS == 0 {
		return append(lines, "-serial compares that with loading one after the other; assets "+
			"compare also with errgroup.")
	}
	return append(lines, fmt.Sprintf("One after the other took %.1f ms; %d failed.", rep.SerialMS,
		rep.SerialFailed),
		fmt.Sprintf("Loaded again with %s and without the figures above, in %.1f ms, Heddle %s.",
			workers, rep.AgainMS, verdict.Beside(rep.AgainMS, rep.SerialMS, "that")))
}
