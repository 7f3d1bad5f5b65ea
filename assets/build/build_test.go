package build_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/build"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/assets/store"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestMain(m *testing.M) { watch.Main(m) }

// triangle is a model with its buffer in a file of its own, and a picture.
const triangle = `{"asset":{"version":"2.0"},"images":[{"uri":"../tex/1.png"}],
"buffers":[{"byteLength":6,"uri":"%d.bin"}],"bufferViews":[{"buffer":0,"byteLength":6}],
"accessors":[{"bufferView":0,"componentType":5123,"count":3,"type":"SCALAR"}],
"meshes":[{"primitives":[{"attributes":{},"indices":0}]}]}`

// forest writes a tree with all kinds of resources, so many times.
func forest(t testing.TB, n int) (string, []assets.Info) {
	t.Helper()
	dir := t.TempDir()
	var infos []assets.Info
	add := func(name, typ string, data []byte) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, data, 0o666))
		infos = append(infos, assets.Info{ID: assets.ID(name), Path: name, Type: typ,
			Format: strings.TrimPrefix(filepath.Ext(name), "."), Size: int64(len(data))})
	}
	for i := range n {
		m := image.NewNRGBA(image.Rect(0, 0, 16+i%5, 16))
		for k := range m.Pix {
			m.Pix[k] = byte(k * (i + 1))
		}
		m.SetNRGBA(0, 0, color.NRGBA{byte(i), byte(i >> 8), 0, 255})
		var b bytes.Buffer
		require.NoError(t, png.Encode(&b, m))
		add(fmt.Sprintf("tex/%d.png", i), "texture", b.Bytes())
		add(fmt.Sprintf("snd/%d.wav", i), "sound", wav(i))
		add(fmt.Sprintf("mdl/%d.gltf", i), "model", fmt.Appendf(nil, triangle, i))
		add(fmt.Sprintf("mdl/%d.bin", i), "buffer", []byte{0, 0, 1, 0, 2, byte(i)})
		add(fmt.Sprintf("txt/%d.txt", i), "other", fmt.Append(nil, "text ", i))
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 3, 3))))
	add("tex/0@low.png", "texture", b.Bytes())
	low := infos[len(infos)-1]
	infos = infos[:len(infos)-1]
	infos[0].Variants = []assets.Variant{{Platform: "low", Path: low.Path, Format: "png"}}
	return dir, infos
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// wav returns a short sound.
func wav(seed int) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00" +
		"\x44\xac\x00\x00\x88\x58\x01\x00\x02\x00\x10\x00data\xd0\x07\x00\x00")
	for i := range 1000 {
		b = binary.LittleEndian.AppendUint16(b, uint16(i*(seed+3)))
	}
	return b
}

// files returns what is in a directory.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry,
		err error) error {
		if err == nil && !d.IsDir() {
			all[name] = string(must(os.ReadFile(filepath.Join(dir, name))))
		}
		return err
	}))
	return all
}

// registered returns what the registry of a tree says, by ID.
func registered(t testing.TB, dir string) map[assets.ID]assets.Info {
	t.Helper()
	r, err := store.OpenRegistry(filepath.Join(dir, build.RegistryName))
	require.NoError(t, err)
	all := map[assets.ID]assets.Info{}
	for info := range r.All() {
		all[info.ID] = info
	}
	require.NoError(t, r.Close())
	return all
}

func system(t testing.TB, workers int) *taskgraph.System {
	t.Helper()
	sys := taskgraph.Start(taskgraph.Options{Workers: workers})
	t.Cleanup(func() { require.NoError(t, sys.Shutdown(context.Background())) })
	return sys
}

func cache(t testing.TB) *store.Cache {
	t.Helper()
	c, err := store.OpenCache(t.TempDir(), store.CacheOptions{Unsynced: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// TestTree finds the same bytes whoever builds, the registry included, and hashes that are right.
func TestTree(t *testing.T) {
	dir, infos := forest(t, 12)
	serial := filepath.Join(t.TempDir(), "serial")
	ctx := context.Background()
	r, err := build.Tree(ctx, os.DirFS(dir), infos, serial, build.Options{Rules: build.Desktop()})
	require.NoError(t, err)
	require.Empty(t, r.Failures)
	require.Equal(t, 5*12+1, r.Files)
	require.Equal(t, 2*12, r.Copied)
	require.Equal(t, 3*12+1, r.Encoded)
	want := files(t, serial)
	require.Len(t, want, 5*12+2)
	for name, data := range want {
		require.NotContains(t, name, ".partial")
		require.NotEmpty(t, data)
	}
	var read, written int64
	for _, info := range infos {
		read += info.Size
	}
	reg := registered(t, serial)
	require.Len(t, reg, len(infos))
	for _, info := range reg {
		require.Equal(t, assets.HashOf([]byte(want[info.Path])), info.Hash)
		written += info.Size
	}
	require.Equal(t, "tex/0.png.dds", reg["tex/0.png"].Path)
	require.Equal(t, "dds", reg["tex/0.png"].Format)
	low := reg["tex/0.png"].Variants[0]
	require.Equal(t, "tex/0@low.png.dds", low.Path)
	require.Equal(t, assets.Platform("low"), low.Platform)
	require.Equal(t, assets.HashOf([]byte(want[low.Path])), low.Hash)
	read += int64(len(must(os.ReadFile(filepath.Join(dir, "tex/0@low.png")))))
	require.Equal(t, read, r.Read)
	require.Equal(t, written+low.Size, r.Written)
	require.Equal(t, "glb", reg["mdl/3.gltf"].Format)
	found, err := pipes.Decoders()["glb"].Decode([]byte(want["mdl/3.gltf.glb"]),
		pipes.Limits{}.OrDefault())
	require.NoError(t, err)
	require.Equal(t, []string{"../tex/1.png"}, found.Refs, "the buffer is inside")

	for _, workers := range []int{1, 4} {
		for _, inFlight := range []int{1, 0} {
			to := t.TempDir()
			done := 0
			r2, err := build.Tree(ctx, os.DirFS(dir), infos, to, build.Options{
				Rules: build.Desktop(), System: system(t, workers), InFlight: inFlight,
				Done: func() { done++ }})
			require.NoError(t, err)
			require.Equal(t, r, r2)
			require.Equal(t, len(want)-1, done)
			require.Equal(t, want, files(t, to))
		}
	}
}

// TestCache builds with a cache: the second build of the same sources, in another directory,
// encodes nothing, one with other rules does, and what differs is encoded alone.
func TestCache(t *testing.T) {
	dir, infos := forest(t, 3)
	ctx, c, sys := context.Background(), cache(t), system(t, 2)
	run := func(rules []build.Rule, sys *taskgraph.System) (*build.Report, map[string]string) {
		to := t.TempDir()
		r, err := build.Tree(ctx, os.DirFS(dir), infos, to,
			build.Options{Rules: rules, Cache: c, System: sys})
		require.NoError(t, err)
		require.Empty(t, r.Failures)
		return r, files(t, to)
	}
	first, want := run(build.Desktop(), nil)
	require.Equal(t, 10, first.Encoded)
	second, got := run(build.Desktop(), sys)
	require.Equal(t, 0, second.Encoded)
	require.Equal(t, 10, second.Cached)
	require.Equal(t, want, got)
	small, got := run(build.Small(), sys)
	require.Equal(t, 6, small.Cached, "models and sounds are the same")
	require.NotEqual(t, want["tex/0.png.dds"], got["tex/0.png.dds"])
	require.NoError(t, os.WriteFile(filepath.Join(dir, "snd/1.wav"), wav(77), 0o666))
	last, got := run(build.Desktop(), sys)
	require.Equal(t, 1, last.Encoded)
	require.NotEqual(t, want["snd/1.wav.flac"], got["snd/1.wav.flac"])
}

// TestFailures builds what it can, and says what it cannot.
func TestFailures(t *testing.T) {
	dir, infos := forest(t, 2)
	to := t.TempDir()
	ctx := context.Background()
	o := build.Options{Rules: build.Desktop(), System: system(t, 2)}
	_, err := build.Tree(ctx, os.DirFS(dir), infos, to, o)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tex/1.png"), []byte("no picture"), 0o666))
	require.NoError(t, os.Remove(filepath.Join(dir, "mdl/1.bin")))
	for _, sys := range []*taskgraph.System{nil, o.System} {
		o.System = sys
		r, err := build.Tree(ctx, os.DirFS(dir), infos, to, o)
		require.NoError(t, err)
		require.Len(t, r.Failures, 3)
		var paths []string
		for _, f := range r.Failures {
			paths = append(paths, f.Path)
			require.Error(t, f.Err)
		}
		require.Equal(t, []string{"tex/1.png", "mdl/1.gltf", "mdl/1.bin"}, paths,
			"the model needs the buffer")
		require.NotContains(t, files(t, to), "tex/1.png.dds", "of the earlier build")
		require.NotContains(t, registered(t, to), assets.ID("tex/1.png"))
	}
}

// TestRefused has what cannot be built at all, and what must not be written over.
func TestRefused(t *testing.T) {
	dir, infos := forest(t, 1)
	ctx := context.Background()
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "mine.txt"), []byte("mine"), 0o666))
	_, err := build.Tree(ctx, os.DirFS(dir), infos, full, build.Options{})
	require.ErrorContains(t, err, "neither empty nor from an earlier build")

	_, err = build.Tree(ctx, os.DirFS(dir), append(infos, assets.Info{ID: "x",
		Path: "tex/0.png.dds", Format: "dds"}), t.TempDir(), build.Options{Rules: build.Desktop()})
	require.ErrorContains(t, err, `would both be "tex/0.png.dds"`)
	_, err = build.Tree(ctx, os.DirFS(dir), []assets.Info{{ID: "x", Path: "../x"}}, t.TempDir(),
		build.Options{})
	require.ErrorIs(t, err, pipes.ErrPath)

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for _, sys := range []*taskgraph.System{nil, system(t, 2)} {
		to := t.TempDir()
		_, err = build.Tree(canceled, os.DirFS(dir), infos, to, build.Options{System: sys})
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, files(t, to))
	}
}
