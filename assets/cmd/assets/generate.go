package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/verdict"
)

// A generateReport is what generate prints.
type generateReport struct {
	Files  int   `json:"files"`
	Bytes  int64 `json:"bytes"`
	Edges  int   `json:"edges"`
	Back   int   `json:"back"` // of the edges, which close circles
	Leaves int   `json:"leaves"`
}

// maxFiles bounds -files.
const maxFiles = 10_000_000

// generator is the command generate.
func generator() *cli.Command {
	var files int
	var seed uint64
	var rep generateReport
	return &cli.Command{
		Name: "assets generate", Arg: "DIR",
		About: "Makes a tree of small files that depend on each other, to try the other commands on.\n" +
			"The same -files and -seed make the same tree. The directory must be empty or not exist.",
		Flags: func(fs *flag.FlagSet) {
			fs.IntVar(&files, "files", 1000, fmt.Sprintf("`number` of files, 1 to %d", maxFiles))
			fs.Uint64Var(&seed, "seed", 1, "another `number` makes another tree")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			switch {
			case files < 1 || files > maxFiles:
				return fmt.Errorf("-files %d: want 1 to %d", files, maxFiles)
			case call.Arg == "":
				return errors.New("want a directory that is empty or does not exist")
			}
			if err := generate(ctx, call, newForest(files, seed), &rep); err != nil {
				return err
			}
			fmt.Fprintf(call.Text, "Wrote %s of %d bytes to %s. They have %d dependencies, %d of "+
				"which point\nback and may close circles; %d files depend on nothing.\n",
				verdict.Count(rep.Files, "file"), rep.Bytes, call.Arg, rep.Edges, rep.Back,
				rep.Leaves)
			return nil
		},
		JSON: func() any { return &rep },
	}
}

// A forest is the graph of a generated tree. Its inner files are manifests, which depend mostly on
// files with greater numbers, on one with a smaller number now and then, and its leaves pictures
// and plain bytes.
type forest struct {
	seed  uint64
	files int
}

func newForest(files int, seed uint64) forest { return forest{seed, files} }

// perDir is how many files a directory has.
const perDir = 500

// What kinds of leaves there are, in their order.
const (
	inner = iota
	bytesLeaf
	pictureLeaf
)

// node returns what file number i is, and what it depends on.
func (f forest) node(i int) (kind int, children []int, r *rand.Rand) {
	r = rand.New(rand.NewPCG(f.seed, uint64(i)))
	switch n := r.IntN(10); {
	case n < 3:
		return pictureLeaf, nil, r
	case n < 6 || i == f.files-1:
		return bytesLeaf, nil, r
	}
	for range 1 + r.IntN(4) {
		if i > 0 && r.IntN(100) == 0 {
			children = append(children, r.IntN(i))
		} else { // near, so that trees are deep
			children = append(children, i+1+r.IntN(min(f.files-1-i, 50)))
		}
	}
	return inner, children, r
}

// kinds are the endings of the names of files, by kind.
var kinds = [...]string{inner: "json", bytesLeaf: "bin", pictureLeaf: "png"}

// name returns the ID of file number i.
func (f forest) name(i int) assets.ID {
	kind, _, _ := f.node(i)
	return assets.ID(fmt.Sprintf("%05d/%03d.%s", i/perDir, i%perDir, kinds[kind]))
}

// children returns what file number i depends on.
func (f forest) children(i int) (ids []assets.ID) {
	_, children, _ := f.node(i)
	for _, c := range children {
		ids = append(ids, f.name(c))
	}
	return ids
}

// text returns what file number i contains.
func (f forest) text(i int) ([]byte, error) {
	kind, _, r := f.node(i)
	var b bytes.Buffer
	switch kind {
	case inner:
		refs := []string{}
		for _, id := range f.children(i) {
			refs = append(refs, "../"+string(id))
		}
		return json.Marshal(map[string]any{"depends": refs, "number": i})
	case bytesLeaf:
		for range 16 + r.IntN(112) {
			fmt.Fprintf(&b, "%016x", r.Uint64())
		}
		return b.Bytes(), nil
	}
	side := 8 << r.IntN(3)
	p := image.NewNRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			p.SetNRGBA(x, y,
				color.NRGBA{R: uint8(x * y), G: uint8(r.IntN(64)), B: uint8(i), A: 255})
		}
	}
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, p)
	return b.Bytes(), err
}

// generate writes a tree.
func generate(ctx context.Context, call *cli.Call, f forest, rep *generateReport) error {
	if err := os.MkdirAll(call.Arg, 0o777); err != nil {
		return err
	}
	there, err := os.ReadDir(call.Arg)
	if err == nil && len(there) > 0 {
		err = &fs.PathError{Op: "generate", Path: call.Arg, Err: errors.New("not empty")}
	}
	if err != nil {
		return err
	}
	b := newBar(call, "generate", f.files)
	defer b.clear()
	for i := range f.files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		text, err := f.text(i)
		if err != nil {
			return err
		}
		file := filepath.Join(call.Arg, filepath.FromSlash(string(f.name(i))))
		if i%perDir == 0 {
			if err := os.Mkdir(filepath.Dir(file), 0o777); err != nil {
				return err
			}
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return err
		}
		rep.add(f, i, len(text))
		b.add()
	}
	return nil
}

// add counts a file.
func (rep *generateReport) add(f forest, i, n int) {
	kind, children, _ := f.node(i)
	rep.Files++
	rep.Bytes += int64(n)
	rep.Edges += len(children)
	if kind != inner {
		rep.Leaves++
	}
	for _, c := range children {
		if c < i {
			rep.Back++
		}
	}
}
