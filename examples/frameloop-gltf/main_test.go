package main

import (
	"bytes"
	"context"
	"encoding/json"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/qmuntal/gltf"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/frameloop-gltf/internal/arm"
	"github.com/heddle-go/heddle/examples/frameloop-gltf/internal/assimp"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/store"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) { watch.Main(m) }

// command calls the command in this process.
func command(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = program.Run(context.Background(), args, &out, &err)
	return status, out.String(), err.String()
}

// written writes a skinned model in a colour that nothing else has, and returns the file's name.
func written(t *testing.T) string {
	t.Helper()
	doc := arm.Document()
	doc.Materials[0].PBRMetallicRoughness.BaseColorFactor = &[4]float64{1, 0, 1, 1}
	name := filepath.Join(t.TempDir(), "arm.glb")
	require.NoError(t, gltf.SaveBinary(doc, name))
	return name
}

// equal plays some frames of a file in all ways, which must leave the same, and returns what.
func equal(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := command(append([]string{"-json", "-workers", "2"}, args...)...)
	require.Equal(t, cli.OK, status, stderr)
	require.Empty(t, stderr)
	var r struct {
		Serial   string `json:"digest_serial"`
		Parallel string `json:"digest_parallel"`
		Equal    bool   `json:"digest_equal"`
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.True(t, r.Equal)
	require.Equal(t, r.Serial, r.Parallel)
	return r.Serial
}

func TestSkinnedModel(t *testing.T) {
	file := written(t)
	picture := filepath.Join(t.TempDir(), "last.png")
	digest := equal(t, "-frames", "3", "-png", picture, file)
	require.Equal(t, digest, equal(t, "-frames", "3", "-model", file),
		"the same file, named otherwise")
	require.NotEqual(t, digest, equal(t, "-frames", "3", "-seed", "2", file))

	f, err := os.Open(picture)
	require.NoError(t, err)
	m, err := png.Decode(f)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	seen := 0
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			if r, g, b, _ := m.At(x, y).RGBA(); r > 2*g && b > 2*g {
				seen++
			}
		}
	}
	require.Greater(t, seen, 500, "pixels of the figures' colour")
}

// Models of a tree, in the folder and below: a whole one with a buffer beside it, one that is cut
// off, one whose buffer is missing and one that is no model. The last three are told, one line
// each, and the frames go on; what is no model by its name is not looked at.
func TestTreeOfModels(t *testing.T) {
	file, dir := written(t), t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "below"), 0o700))
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for name, text := range map[string][]byte{
		"whole.glb": whole, "cut.glb": whole[:len(whole)/2],
		"noise.gltf": []byte("noise\nand more\n"), "read.me": []byte("!"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	for _, name := range []string{"below/beside.gltf", "alone.gltf"} {
		doc := arm.Document()
		doc.Buffers[0].URI = "arm.bin"
		require.NoError(t, gltf.Save(doc, filepath.Join(dir, filepath.FromSlash(name))))
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "arm.bin")))

	want := map[string]string{
		"alone.gltf": "alone.gltf: missing: arm.bin: ", "cut.glb": "cut.glb: truncated: cut off: ",
		"noise.gltf": "noise.gltf: damaged: not a glTF 2.0 file: ", "whole.glb": "",
		"below/beside.gltf": "",
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	s := store.New(store.Options[*mesh.Mesh]{
		Files: root.FS(), Requests: len(want), Budget: 1 << 20,
		Parse: func(name string, read store.Reader) (*mesh.Mesh, int64, error) {
			m, err := prop(name, read)
			return m, 1, err
		},
	})
	names := slices.Sorted(maps.Keys(want))
	for i, name := range names {
		s.Ask(uint32(i), 1, name, float32(i))
	}
	for s.Serve() {
	}
	answers := s.Answers(nil)
	require.Len(t, answers, len(want))
	for i, a := range answers {
		line := want[names[i]]
		require.Equal(t, line == "", a.Fault == nil, "%s: %v", names[i], a.Fault)
		if a.Fault != nil {
			require.True(t, strings.HasPrefix(a.Fault.Error(), line), "%v", a.Fault)
		} else {
			require.NotEmpty(t, a.Value.Idx)
		}
	}
	require.NoError(t, root.Close())

	status, stdout, stderr := command("-json", "-workers", "2", "-frames", "60", "-dir", dir, file)
	require.Equal(t, cli.OK, status, stderr)
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	told := map[string]bool{}
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "frameloop-gltf: "), ":")
		require.True(t, strings.HasPrefix(line, "frameloop-gltf: "+want[name]), line)
		require.True(t, strings.HasSuffix(line, "; a placeholder stands for it"), line)
		require.False(t, told[name], "a line each: %s", stderr)
		told[name] = true
	}
	var r struct {
		Equal  bool `json:"digest_equal"`
		Files  int  `json:"files_read"`
		Faults int  `json:"file_faults"`
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.True(t, r.Equal)
	require.Len(t, told, r.Faults, "of the sites that are near")
	require.NotEmpty(t, told)
	require.Greater(t, r.Files, len(told))
}

// Without a file the figures are the built-in arm, which a file of the same model shows too.
func TestBuiltInModel(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arm.glb")
	require.NoError(t, gltf.SaveBinary(arm.Document(), file))
	require.Equal(t, equal(t, "-frames", "2", file), equal(t, "-frames", "2"))
	status, stdout, stderr := command("-frames", "2", "-workers", "2")
	require.Equal(t, cli.OK, status, stderr)
	require.Contains(t, stdout, "\nfigures: a built-in arm, since no glTF file was named\n")
	require.Contains(t, stdout, "\nHeddle takes ")
	status, stdout, stderr = command("-frames", "2", "-workers", "2", file)
	require.Equal(t, cli.OK, status, stderr)
	require.Contains(t, stdout, "\nfigures: "+file+"\n")
}

// The test models of Debian's package assimp-testmodels, where that is installed: one that is
// skinned, and a machine of many parts without a motion.
func TestPublicModels(t *testing.T) {
	digests := map[string]bool{}
	for _, file := range []string{
		assimp.Public(t, "simple_skin", "simple_skin.gltf"),
		assimp.Public(t, "2CylinderEngine-glTF-Binary", "2CylinderEngine.glb"),
	} {
		digests[equal(t, "-frames", "2", file)] = true
	}
	require.Len(t, digests, 2)
}

func TestBadModels(t *testing.T) {
	file := written(t)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, text, 0o600))
		return name
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{filepath.Join(dir, "none.glb")}, cli.Failed,
			"none.glb: no such file or directory"},
		{[]string{dir}, cli.Failed, "is a directory"},
		{[]string{write("cut.glb", whole[:len(whole)/2])}, cli.Failed, "cut.glb: cut off: "},
		{[]string{write("empty.glb", nil)}, cli.Failed, "empty.glb: not a glTF 2.0 file: "},
		{[]string{write("noise.gltf", []byte("noise\nand more\n"))}, cli.Failed,
			"noise.gltf: not a glTF 2.0 file: "},
		{[]string{write("bare.gltf", []byte(`{"asset":{"version":"2.0"}}`))}, cli.Failed,
			"bare.gltf: "},
		{[]string{write("old.gltf", []byte(`{"asset":{"version":"1.0"}}`))}, cli.Failed,
			"old.gltf: version 1.0 of glTF: only 2.0 is read"},
		{[]string{"-model", file, file}, cli.Failed, "want one file"},
		{[]string{"-size", "0", file}, cli.Failed, "-size 0: want 1 to "},
		{[]string{"-workers", "-1", file}, cli.Failed, "-workers -1: want 1 to "},
		{[]string{file, file}, cli.Usage, "stray argument "},
		{[]string{"-bogus", file}, cli.Usage, "not defined: -bogus"},
		{[]string{"-model"}, cli.Usage, "flag needs an argument: -model"},
	} {
		status, stdout, stderr := command(test.args...)
		require.Equal(t, test.status, status, "%v: %s", test.args, stderr)
		require.Empty(t, stdout)
		require.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %q", stderr)
		require.True(t, strings.HasPrefix(stderr, "frameloop-gltf: "), stderr)
		require.Contains(t, stderr, test.want)

		status, stdout, _ = command(append([]string{"-json"}, test.args...)...)
		require.Equal(t, test.status, status)
		require.True(t, json.Valid([]byte(stdout)), "%v: %q", test.args, stdout)
	}
}

// A model of any size and place stands on the origin, in the room that it has, and fills it in one
// direction.
func TestFit(t *testing.T) {
	r := vec.NewRand(1)
	for range 100 {
		b := vec.EmptyAABB()
		for range 2 {
			b = b.Extend(r.Vec3(vec.V3(-90, -90, -90), vec.V3(90, 90, 90)))
		}
		m := fit(b)
		in := b.Transform(&m)
		require.InDelta(t, 0, in.Min.Y, 1e-3)
		require.InDelta(t, 0, in.Min.X+in.Max.X, 1e-3)
		require.InDelta(t, 0, in.Min.Z+in.Max.Z, 1e-3)
		high, wide := in.Max.Y/figureHeight, max(in.Max.X-in.Min.X, in.Max.Z-in.Min.Z)/figureWidth
		require.InDelta(t, 1, max(high, wide), 1e-3)
	}
	point := vec.AABB{Min: vec.V3(1, 2, 3), Max: vec.V3(1, 2, 3)}
	m := fit(point)
	in := point.Transform(&m)
	require.False(t, in.Max.X != in.Max.X || in.Empty(), "a point stays a point: %v", in)
}
