package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"sync"
	"text/tabwriter"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/assets/store"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// An indexReport is what index prints.
type indexReport struct {
	Resources int       `json:"resources"`
	Bytes     int64     `json:"bytes"` // with variants
	Added     int       `json:"added"`
	Changed   int       `json:"changed"`
	Removed   int       `json:"removed"`
	Types     []typeSum `json:"types"`
}

// A typeSum counts the resources of one type.
type typeSum struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
}

// indexer is the command index.
func indexer() *cli.Command {
	var registry string
	var workers int
	var rep indexReport
	return &cli.Command{
		Name: "assets index", Arg: "DIR",
		About: "Writes what the files of a directory are, with their hashes, to a registry.\n" +
			"wood@android-low.png is wood.png for the platform android-low.",
		Flags: func(fs *flag.FlagSet) {
			registryFlag(fs, &registry)
			workersFlag(fs, &workers)
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := checkWorkers(call, workers); err != nil {
				return err
			}
			if err := index(ctx, call, registry, workers, &rep); err != nil || call.JSON {
				return err
			}
			rep.print(call.Text)
			return nil
		},
		JSON: func() any { return &rep },
	}
}

// index brings the registry of a directory up to date.
func index(ctx context.Context, call *cli.Call, file string, workers int, rep *indexReport) error {
	t, err := openTree(call.Arg, file)
	if err != nil {
		return err
	}
	defer t.Close()
	files, err := scan(t.files.FS())
	if err != nil {
		return fmt.Errorf("%s: %w", t.dir, err)
	}
	if err := hashAll(ctx, t, files, workers, newBar(call, "hash", len(files))); err != nil {
		return err
	}
	infos := fold(files)
	r, err := store.OpenRegistry(t.registry)
	if err != nil {
		return err
	}
	err = rep.update(r, infos)
	if closed := r.Close(); err == nil {
		err = closed
	}
	rep.sum(infos)
	return err
}

// hashAll fills in the hashes and sizes of files.
func hashAll(ctx context.Context, t *tree, files []assets.Info, workers int, b *bar) (err error) {
	defer b.clear()
	registry, err := assets.NewMemory(files...)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	hashes := make(map[assets.ID]assets.Info, len(files))
	hash := assets.Pipe{Name: "hash", Run: func(_ context.Context, it *assets.Item) error {
		h := assets.HashOf(it.Data)
		mu.Lock()
		defer mu.Unlock()
		hashes[it.ID] = assets.Info{Hash: h, Size: int64(len(it.Data))}
		return nil
	}}
	e, err := start(workers, assets.PipelineOptions{Plan: []assets.Pipe{assets.Resolve(),
		assets.Select(), pipes.Fetch(pipes.FetchOptions{By: map[string]pipes.Fetcher{
			"": t.files}}), hash}}, assets.Options{Registry: registry})
	if err != nil {
		return err
	}
	var failed error
	err = e.all(ctx, ids(files), len(files), func(_ int, h *assets.Handle) {
		failed = cmp.Or(failed, h.Err())
		b.add()
	})
	if closed := e.close(); err == nil {
		err = closed
	}
	if err = cmp.Or(err, failed); err != nil {
		return err
	}
	for i := range files {
		files[i].Hash, files[i].Size = hashes[files[i].ID].Hash, hashes[files[i].ID].Size
	}
	return nil
}

// update puts what is new into a registry and takes out what is gone.
func (rep *indexReport) update(r *store.Registry, infos []assets.Info) error {
	there := make(map[assets.ID]bool, len(infos))
	var put []assets.Info
	for _, info := range infos {
		there[info.ID] = true
		g, known := r.GUID(info.ID)
		if !known {
			rep.Added++
			put = append(put, info)
			continue
		}
		old, _ := r.Info(g)
		info.GUID, info.Parent, info.Sub = old.GUID, old.Parent, old.Sub
		if !reflect.DeepEqual(info, old) {
			rep.Changed++
			put = append(put, info)
		}
	}
	var gone []assets.GUID
	for old := range r.All() {
		if !there[old.ID] && !(old.Sub && there[assets.ID(old.Path)]) {
			gone = append(gone, old.GUID)
		}
	}
	rep.Removed = len(gone)
	if err := r.Delete(gone...); err != nil {
		return err
	}
	return r.Put(put...)
}

// sum counts by type.
func (rep *indexReport) sum(infos []assets.Info) {
	types := map[string]*typeSum{}
	for _, info := range infos {
		s := types[info.Type]
		if s == nil {
			s = &typeSum{Type: info.Type}
			types[info.Type] = s
		}
		s.Count++
		s.Bytes += info.Size
		for _, v := range info.Variants {
			s.Bytes += v.Size
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		rep.Types = append(rep.Types, *types[name])
		rep.Bytes += types[name].Bytes
	}
	rep.Resources = len(infos)
}

func (rep *indexReport) print(w io.Writer) {
	table(w, func(w io.Writer) {
		fmt.Fprintln(w, "type\tcount\tbytes\t")
		for _, s := range rep.Types {
			fmt.Fprintf(w, "%s\t%d\t%d\t\n", s.Type, s.Count, s.Bytes)
		}
		fmt.Fprintf(w, "all\t%d\t%d\t\n", rep.Resources, rep.Bytes)
	})
	fmt.Fprintf(w, "%d added, %d changed, %d removed\n", rep.Added, rep.Changed, rep.Removed)
}

// table aligns the columns of what fill writes.
func table(w io.Writer, fill func(w io.Writer)) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fill(t)
	_ = t.Flush() // who writes to w sees to what is lost
}
