package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/build"
	"github.com/heddle-go/heddle/assets/build/remote"
	"github.com/heddle-go/heddle/farm"
	"github.com/heddle-go/heddle/taskgraph"
)

// pictures is how many a tree has that is built, and side how long theirs are.
const pictures, side = 48, 256

// tree writes a tree of pictures, no two alike.
func tree(dir string, round int) (infos []assets.Info, err error) {
	for i := range pictures {
		m := image.NewNRGBA(image.Rect(0, 0, side, side))
		for y := range side {
			for x := range side {
				v := math.Sin(float64(x*(i+1))/40) + math.Cos(float64(y*(round+3))/30)
				copy(m.Pix[m.PixOffset(x, y):], []byte{byte(128 + 50*v), byte(x ^ y), byte(y), 255})
			}
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			return nil, err
		}
		name := fmt.Sprintf("%d-%d.png", round, i)
		if err := os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o666); err != nil {
			return nil, err
		}
		infos = append(infos, assets.Info{ID: assets.ID(name), Path: name, Format: "png"})
	}
	return infos, nil
}

// build measures builds of a tree: one file after the other, on the task graph, and on a farm by
// worker processes, of which each has one file at a time.
func (b *bench) build(ctx context.Context) error {
	ways := []string{"one file after the other", "task graph, two workers"}
	counts := powers(b.most)
	for _, n := range counts {
		ways = append(ways, fmt.Sprintf("farm, worker processes: %d", n))
	}
	ways = append(ways, "farm, what another machine has built")
	took := map[string][]time.Duration{}
	for round := range b.rounds {
		if err := b.builds(ctx, round, ways, counts, took); err != nil {
			return err
		}
	}
	rows := [][]string{{"", "time", "speed-up"}}
	serial := median(took[ways[0]])
	for _, w := range ways {
		t := median(took[w])
		rows = append(rows, []string{w, fmt.Sprintf("%.0f ms", float64(t)/1e6),
			fmt.Sprintf("%.2f", float64(serial)/float64(t))})
	}
	b.table(rows)
	return nil
}

// builds builds a new tree in each way.
func (b *bench) builds(ctx context.Context, round int, ways []string, counts []int,
	took map[string][]time.Duration) (err error) {
	dir, err := os.MkdirTemp("", "heddle-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	src := filepath.Join(dir, "src")
	if err := os.Mkdir(src, 0o777); err != nil {
		return err
	}
	infos, err := tree(src, round)
	if err != nil {
		return err
	}
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	defer func() { err = errors.Join(err, sys.Shutdown(context.Background())) }()
	one := func(way string, encoded int, o build.Options) error {
		o.Rules = build.Desktop()
		begin := time.Now()
		r, err := build.Tree(ctx, os.DirFS(src), infos, filepath.Join(dir, way), o)
		if err == nil && (r.Files != pictures || r.Encoded != encoded) {
			err = fmt.Errorf("%s: %d files, %d encoded: %v", way, r.Files, r.Encoded, r.Failures)
		}
		took[way] = append(took[way], time.Since(begin))
		return err
	}
	if err := one(ways[0], pictures, build.Options{}); err != nil {
		return err
	}
	if err := one(ways[1], pictures, build.Options{System: sys}); err != nil {
		return err
	}
	for i, n := range counts {
		f, err := farm.Open(ctx, farm.Options{Listen: true})
		if err != nil {
			return err
		}
		ps, err := startAll(ctx, n, roleFarm, order{URL: f.URL(), Slots: 1})
		if err != nil {
			return errors.Join(err, f.Close())
		}
		o := build.Options{System: sys, Runner: remote.New(f, farm.Remote)}
		err = one(ways[2+i], pictures, o)
		if err == nil && i == len(counts)-1 {
			err = one(ways[len(ways)-1], 0, o)
		}
		if err = errors.Join(err, stopAll(ps), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
