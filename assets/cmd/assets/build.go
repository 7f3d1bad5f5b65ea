package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/heddle-go/heddle/assets/build"
	"github.com/heddle-go/heddle/assets/store"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/taskgraph"
)

// A buildReport is what build prints. Times are in milliseconds.
type buildReport struct {
	Files    int       `json:"files"`
	Copied   int       `json:"copied"`
	Encoded  int       `json:"encoded"`
	Cached   int       `json:"cached"` // by this machine
	Shared   int       `json:"shared"` // by the farm
	Removed  int       `json:"removed"`
	Read     int64     `json:"read"`
	Written  int64     `json:"written"`
	Workers  int       `json:"workers"` // 0: one after the other, or as many as the farm has
	MS       float64   `json:"ms"`
	Failures []failure `json:"failures"`
}

// profiles are the rules of build by name.
var profiles = map[string]func() []build.Rule{"desktop": build.Desktop, "small": build.Small}

// buildFlags are the flags of build.
type buildFlags struct {
	registry, out, rules, cache, farm string
	workers                           int
	serial                            bool
}

// builder is the command build.
func builder() *cli.Command {
	var o buildFlags
	rep := buildReport{Failures: []failure{}}
	return &cli.Command{
		Name: "assets build", Arg: "DIR",
		About: "Makes of a tree another one, in the forms that programs on one platform load: pictures\n" +
			"as blocks of BC7, or BC1 and BC3, with a mip chain; models with their triangles in the\n" +
			"order of the vertex cache; WAV as FLAC. The rest is copied. IDs stay as they are, and a\n" +
			"registry says where each is. Any way to build gives the same bytes.",
		Flags: func(fs *flag.FlagSet) {
			registryFlag(fs, &o.registry)
			workersFlag(fs, &o.workers)
			fs.StringVar(&o.out, "out", "", "build into `DIR`, which is empty, not there, or from "+
				"an earlier build")
			fs.StringVar(&o.rules, "rules", "desktop", "the `platform`: "+
				strings.Join(slices.Sorted(maps.Keys(profiles)), " or "))
			fs.StringVar(&o.cache, "cache", "", "keep what is encoded in `DIR`, and take it from "+
				"there")
			farmFlag(fs, &o.farm)
			fs.BoolVar(&o.serial, "serial", false, "one file after the other, without a task graph")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := o.run(ctx, call, &rep); err != nil {
				return err
			}
			if !call.JSON {
				rep.print(call)
			}
			if len(rep.Failures) > 0 {
				return cli.ErrFailed
			}
			return nil
		},
		JSON: func() any { return &rep },
	}
}

// run builds a tree.
func (o *buildFlags) run(ctx context.Context, call *cli.Call, rep *buildReport) (err error) {
	profile, known := profiles[o.rules]
	switch {
	case !known:
		return fmt.Errorf("-rules %q: want %s", o.rules,
			strings.Join(slices.Sorted(maps.Keys(profiles)), " or "))
	case o.out == "":
		return errors.New("want a directory to build into: -out DIR")
	case o.serial && call.Given["workers"]:
		return errors.New("-serial: there are no workers then")
	case o.serial && call.Given["farm"]:
		return errors.New("-serial: there is no farm then")
	}
	if err := checkWorkers(call, o.workers); err != nil {
		return err
	}
	t, err := openTree(call.Arg, o.registry)
	if err != nil {
		return err
	}
	defer t.Close()
	infos, _, err := t.resources()
	if err != nil {
		return err
	}
	b := newBar(call, "build", len(infos))
	defer b.clear()
	opts := build.Options{Rules: profile(), Done: b.add}
	if o.cache != "" {
		if opts.Cache, err = store.OpenCache(o.cache, store.CacheOptions{}); err != nil {
			return err
		}
		defer opts.Cache.Close()
	}
	if !o.serial {
		if rep.Workers = o.workers; rep.Workers == 0 {
			rep.Workers = runtime.GOMAXPROCS(0)
		}
		opts.System = taskgraph.Start(taskgraph.Options{Workers: rep.Workers})
		defer func() { err = errors.Join(err, opts.System.Shutdown(context.Background())) }()
		if o.farm != "" {
			var leave func() error
			if ctx, leave, err = joinFarm(ctx, o.farm, rep.Workers, &opts); err != nil {
				return err
			}
			defer func() { err = errors.Join(err, leave()) }()
		}
	}
	begin := time.Now()
	r, err := build.Tree(ctx, t.files.FS(), infos, o.out, opts)
	if err != nil {
		return err
	}
	rep.MS = ms(time.Since(begin))
	rep.take(r)
	return nil
}

// take takes over what a build has done.
func (rep *buildReport) take(r *build.Report) {
	rep.Files, rep.Copied, rep.Encoded, rep.Cached = r.Files, r.Copied, r.Encoded, r.Cached
	rep.Shared, rep.Removed, rep.Read, rep.Written = r.Shared, r.Removed, r.Read, r.Written
	for _, f := range r.Failures {
		rep.Failures = append(rep.Failures, failure{f.Path, oneLine(f.Err)})
	}
}

func (rep *buildReport) print(call *cli.Call) {
	for _, f := range rep.Failures {
		fmt.Fprintf(call.Text, "%s: %s\n", f.ID, f.Error)
	}
	fmt.Fprintf(call.Text, "%d files, %d of them copied, %d encoded, %d from the cache, "+
		"%d from the farm\n%d bytes read, %d written, %d files removed, %d failed, %.1f ms\n", rep.Files,
		rep.Copied, rep.Encoded, rep.Cached, rep.Shared, rep.Read, rep.Written, rep.Removed,
		len(rep.Failures), rep.MS)
}
