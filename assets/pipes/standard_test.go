package pipes_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/qmuntal/gltf"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/assets/store"
	"github.com/heddle-go/heddle/taskgraph"
)

const model = `{"asset":{"version":"2.0"},"images":[{"uri":"../tex/wood.png"}],
"buffers":[{"byteLength":4,"uri":"box.bin"}],"bufferViews":[{"buffer":0,"byteLength":4}]}`

// A start is one start of a program that loads files of a directory.
type start struct {
	m       *assets.Manager
	decoded atomic.Int32
}

// run starts a program on a directory, calls f, and ends it.
func run(t *testing.T, dir, kept string, f func(s *start)) {
	s := new(start)
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	registry, err := store.OpenRegistry(filepath.Join(kept, "registry"))
	require.NoError(t, err)
	cache, err := store.OpenCache(filepath.Join(kept, "cache"), store.CacheOptions{})
	require.NoError(t, err)
	files, err := pipes.OpenDir(dir)
	require.NoError(t, err)
	err = fs.WalkDir(files.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := files.Fetch(context.Background(), name, 1<<20)
		if err != nil {
			return err
		}
		return registry.Put(assets.Info{ID: assets.ID(name), Path: name, Hash: assets.HashOf(data),
			Format: strings.TrimPrefix(filepath.Ext(name), "."), Size: int64(len(data))})
	})
	require.NoError(t, err)
	by := pipes.Decoders()
	for format, d := range by {
		inner := d.Decode
		d.Decode = func(data []byte, l pipes.Limits) (pipes.Decoded, error) {
			s.decoded.Add(1)
			return inner(data, l)
		}
		by[format] = d
	}
	pipeline, err := assets.NewPipeline(sys, assets.PipelineOptions{Retries: -1,
		Plan: pipes.Standard(pipes.StandardOptions{Disk: map[string]pipes.Fetcher{"": files},
			Cache: cache, By: by})})
	require.NoError(t, err)
	s.m = assets.New(sys, assets.Options{Registry: registry, Loader: pipeline})
	f(s)
	require.NoError(t, s.m.Close(context.Background()))
	require.NoError(t, sys.Shutdown(context.Background()))
	require.NoError(t, registry.Close())
	require.NoError(t, cache.Close())
	require.NoError(t, files.Close())
}

func pictureOf(t *testing.T, w int) string {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, w, 2))))
	return b.String()
}

// A model brings its buffer and its picture. At the second start nothing is decoded that was
// decoded before and has not changed.
func TestTwoStarts(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	write("models/box.gltf", model)
	write("models/box.bin", "abcd")
	write("tex/wood.png", pictureOf(t, 2))
	write("bad/evil.gltf", strings.Replace(model, "../tex", "../../tex", 1))
	for i := range 20 {
		write(fmt.Sprintf("many/%d.png", i), pictureOf(t, i+3))
	}
	load := func(s *start) {
		h, err := s.m.Load(context.Background(), "models/box.gltf")
		require.NoError(t, err)
		doc, err := assets.Get[*gltf.Document](h)
		require.NoError(t, err)
		require.Equal(t, "abcd", string(doc.Buffers[0].Data))
		require.Equal(t, assets.Ready, s.m.Query("tex/wood.png"))
		var all []*assets.Handle
		for i := range 20 {
			all = append(all, s.m.Acquire(assets.ID(fmt.Sprintf("many/%d.png", i))))
		}
		for i, h := range all {
			require.NoError(t, h.Wait(context.Background()))
			m, err := assets.Get[*image.NRGBA](h)
			require.NoError(t, err)
			require.Equal(t, i+3, m.Rect.Dx())
			s.m.Release(h)
		}
		s.m.ReleaseTree(h)
	}
	run(t, dir, kept, func(s *start) {
		load(s)
		require.EqualValues(t, 2+21, s.decoded.Load())
		_, err := s.m.Load(context.Background(), "bad/evil.gltf")
		require.ErrorIs(t, err, pipes.ErrPath)
		var e *assets.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, "decode", e.Stage)
	})
	run(t, dir, kept, func(s *start) {
		load(s)
		require.EqualValues(t, 2, s.decoded.Load(), "the model and its buffer")
	})
	write("many/7.png", pictureOf(t, 7+3)+"and more")
	run(t, dir, kept, func(s *start) {
		load(s)
		require.EqualValues(t, 3, s.decoded.Load())
	})
}
