package model_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/frameloop-gltf/internal/arm"
	"github.com/heddle-go/heddle/examples/frameloop-gltf/internal/assimp"
	"github.com/heddle-go/heddle/examples/frameloop-gltf/model"
	"github.com/heddle-go/heddle/examples/internal/engine/anim"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// posed returns the vertices of a model at a time of its first clip.
func posed(t *testing.T, m *model.Model, time float32) []vec.Vec3 {
	t.Helper()
	c, err := anim.NewCrowd(m.Skeleton, m.Clips, m.Mesh, 1)
	require.NoError(t, err)
	c.Clock[0] = time
	c.Pose(0)
	pos, nrm := make([]vec.Vec3, len(m.Mesh.Pos)), make([]vec.Vec3, len(m.Mesh.Pos))
	m.Mesh.Skin(c.PoseOf(0), pos, nrm, 0, len(pos))
	for v, p := range pos {
		require.True(t, c.Bounds[0].Contains(p), "vertex %d", v)
	}
	return pos
}

func TestSkinnedFile(t *testing.T) {
	m, err := model.Load(save(t, arm.Document()))
	require.NoError(t, err)
	require.Equal(t, 4, m.Skeleton.Len())
	require.Equal(t, []int16{-1, -1, 1, 2}, m.Skeleton.Parent)
	require.Len(t, m.Mesh.Index, 3*(32+4))
	require.Len(t, m.Mesh.Pos, 20+12, "flat sides have corners of their own")
	require.Equal(t, vec.V3(0.5, 0.25, 1), m.Mesh.Color[0])
	require.Len(t, m.Clips, 1)
	require.Equal(t, "bend", m.Clips[0].Name)
	require.InDelta(t, 1, m.Clips[0].Duration(), 1e-5)
	require.InDelta(t, 2.2, m.Bounds.Max.Y, 1e-5)
	require.InDelta(t, 0.2, m.Bounds.Max.X, 1e-5, "the place of a skinned node has no effect")

	rest := posed(t, m, 0)
	require.Less(t, rest[16].Dist(vec.V3(0.1, 2, 0.1)), float32(1e-5))
	half := posed(t, m, 0.5)
	s, c := vec.Sincos(vec.Pi / 4)
	turned := func(x, y, z float32) vec.Vec3 { // about the joint at y = 1
		return vec.V3(x*c-(y-1)*s, 1+x*s+(y-1)*c, z)
	}
	require.Less(t, half[16].Dist(turned(0.1, 2, 0.1)), float32(1e-3),
		"the end hangs on the upper joint alone")
	require.Less(t, half[0].Dist(vec.V3(0.1, 0, 0.1)), float32(1e-5), "the foot on the lower")
	middle := turned(0.1, 1, 0.1).Lerp(vec.V3(0.1, 1, 0.1), 0.5)
	require.Less(t, half[8].Dist(middle), float32(1e-3), "and the middle on both")
	require.Less(t, half[20].Dist(turned(0, 2, 0)), float32(1e-3),
		"the cube rides on the upper joint")
}

// A node that is a joint of two skins with different bind matrices moves both rightly.
func TestTwoSkinsOnOneJoint(t *testing.T) {
	doc := arm.Document()
	far := [4][4]float32{{1, 0, 0, 7}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	doc.Skins = append(doc.Skins,
		&gltf.Skin{Joints: []int{1, 2},
			InverseBindMatrices: gltf.Index(modeler.WriteInverseBindMatrices(doc,
				[][4][4]float32{far, far}))})
	doc.Nodes = append(doc.Nodes, &gltf.Node{Mesh: gltf.Index(0), Skin: gltf.Index(1)})
	doc.Scenes[0].Nodes = append(doc.Scenes[0].Nodes, 4)
	m, err := model.Load(save(t, doc))
	require.NoError(t, err)
	require.Equal(t, 7, m.Skeleton.Len())
	require.Greater(t, m.Bounds.Max.X, float32(7))
	require.InDelta(t, -0.1, m.Bounds.Min.X, 1e-5)
}

// A place given as a matrix is the same as one given by its parts, a mirror too.
func TestMatrices(t *testing.T) {
	r := vec.NewRand(1)
	for i := range 50 {
		q := vec.AxisAngle(r.Unit(), r.Range(-3.1, 3.1))
		s := r.Vec3(vec.V3(0.5, 0.5, 0.5), vec.V3(2, 2, 2))
		if i%2 == 1 {
			s.Y = -s.Y
		}
		at := vec.TRS(r.Vec3(vec.V3(-3, -3, -3), vec.V3(3, 3, 3)), q, s)
		doc := arm.Document()
		for k := range at {
			doc.Nodes[3].Matrix[k] = float64(at[k])
		}
		doc.Nodes[3].Translation = [3]float64{}
		m, err := model.Load(save(t, doc))
		require.NoError(t, err)
		want := at.Point(vec.V3(0.2, 0, 0)).Add(vec.V3(0, 1, 0))
		require.Less(t, posed(t, m, 0)[22].Dist(want), float32(1e-4))
	}
}

func TestInterpolation(t *testing.T) {
	at := func(how gltf.Interpolation, keys [][3]float32, time float32) float32 {
		doc := arm.Document()
		a := doc.Animations[0]
		a.Samplers[0].Interpolation = how
		a.Samplers[0].Output = modeler.WriteAccessor(doc, gltf.TargetNone, keys)
		a.Channels[0].Target.Path = gltf.TRSTranslation
		m, err := model.Load(save(t, doc))
		require.NoError(t, err)
		c := &m.Clips[0]
		return c.T[int(time*c.Rate+0.5)*m.Skeleton.Len()+2].X
	}
	two := [][3]float32{{0, 1, 0}, {4, 1, 0}}
	require.InDelta(t, 1, at(gltf.InterpolationLinear, two, 0.25), 0.2)
	require.InDelta(t, 2, at(gltf.InterpolationLinear, two, 0.5), 1e-4)
	require.InDelta(t, 0, at(gltf.InterpolationStep, two, 0.9), 1e-6)
	// Level tangents: an even start and end. Then a steep start.
	level := [][3]float32{{}, {0, 1, 0}, {}, {}, {4, 1, 0}, {}}
	require.InDelta(t, 2, at(gltf.InterpolationCubicSpline, level, 0.5), 1e-3)
	require.InDelta(t, 4*(3*0.04-2*0.008), at(gltf.InterpolationCubicSpline, level, 0.2), 1e-3)
	steep := [][3]float32{{}, {0, 1, 0}, {8, 0, 0}, {}, {4, 1, 0}, {}}
	require.InDelta(t, 3, at(gltf.InterpolationCubicSpline, steep, 0.5), 1e-3)
}

// Whole numbers that stand for fractions, vertex colours, strips and fans.
func TestOtherForms(t *testing.T) {
	doc := arm.Document()
	p := doc.Meshes[0].Primitives[0]
	p.Attributes[gltf.COLOR_0] = modeler.WriteColor(doc,
		slicesRepeat([4]uint8{255, 0, 51, 255}, 20))
	strip := doc.Meshes[1].Primitives[0]
	strip.Mode = gltf.PrimitiveTriangleStrip
	strip.Indices = nil
	doc.Meshes[1].Primitives = append(doc.Meshes[1].Primitives,
		&gltf.Primitive{Mode: gltf.PrimitiveTriangleFan, Attributes: strip.Attributes},
		&gltf.Primitive{Mode: gltf.PrimitiveLines, Attributes: strip.Attributes})
	m, err := model.Load(save(t, doc))
	require.NoError(t, err)
	require.Len(t, m.Mesh.Index, 3*(32+2+2))
	require.InDelta(t, 0.5, m.Mesh.Color[0].X, 1e-6)
	require.InDelta(t, 0, m.Mesh.Color[0].Y, 1e-6)
	require.InDelta(t, 0.2, m.Mesh.Color[0].Z, 1e-6)
}

// save writes a document as a binary file and returns its name.
func save(t *testing.T, doc *gltf.Document) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "arm.glb")
	require.NoError(t, gltf.SaveBinary(doc, name))
	return name
}

func slicesRepeat[T any](x T, n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = x
	}
	return s
}

// oneLine asserts that a file cannot be loaded, and that one line says why.
func oneLine(t *testing.T, name, want string) {
	t.Helper()
	m, err := model.Load(name)
	require.Error(t, err)
	require.Nil(t, m)
	require.NotContains(t, err.Error(), "\n")
	require.True(t, strings.HasPrefix(err.Error(), name+": "), err)
	require.Contains(t, err.Error(), want)
}

func TestMissingAndDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "no.glb")
	oneLine(t, missing, "no such file")
	_, err := model.Load(missing)
	require.ErrorIs(t, err, fs.ErrNotExist)

	whole, err := os.ReadFile(save(t, arm.Document()))
	require.NoError(t, err)
	write := func(text []byte) string {
		name := filepath.Join(dir, "damaged.glb")
		require.NoError(t, os.WriteFile(name, text, 0o600))
		return name
	}
	oneLine(t, write(nil), "not a glTF 2.0 file")
	oneLine(t, write([]byte("a text\nof two lines")), "not a glTF 2.0 file")
	for _, n := range []int{5, 19, 20, 100, 1000, len(whole) - 1} {
		oneLine(t, write(whole[:n]), "cut off")
	}
	one := bytes.Clone(whole)
	one[4] = 1
	oneLine(t, write(one), "version 1")
	long := bytes.Clone(whole)
	long[15] = 0x7f
	oneLine(t, write(long), "longer than the file")
	oneLine(t, write([]byte(`{"asset":{"version":"1.0"}}`)), "version 1.0")
	oneLine(t, write([]byte(`{"asset":{"version":"2.0"}}`)), "nothing to draw")
	oneLine(t,
		write([]byte(`{"asset":{"version":"2.0"},"buffers":[{"uri":"gone.bin","byteLength":4}]}`)),
		"gone.bin is missing")
	oneLine(t,
		write(
			[]byte(`{"asset":{"version":"2.0"},"buffers":[{"uri":"../gone.bin","byteLength":4}]}`)),
		"does not lie beside the file")
	oneLine(t,
		write(
			[]byte(
				`{"asset":{"version":"2.0"},"buffers":[{"uri":"data:x;base64,AAAA","byteLength":4}]}`)),
		"3 of 4 bytes")
	oneLine(t, write([]byte(`{"asset":{"version":"2.0"},"nodes":[null]}`)), "damaged file")
	oneLine(t, dir, "") // a folder

	for want, damage := range map[string]func(doc *gltf.Document){
		"own ancestors":         func(doc *gltf.Document) { doc.Nodes[3].Children = []int{1} },
		"has the child 9":       func(doc *gltf.Document) { doc.Nodes[3].Children = []int{9} },
		"a child of the nodes":  func(doc *gltf.Document) { doc.Nodes[3].Children = []int{2} },
		"scene shows node 8":    func(doc *gltf.Document) { doc.Scenes[0].Nodes = []int{8} },
		"has mesh 5 of 2":       func(doc *gltf.Document) { doc.Nodes[0].Mesh = gltf.Index(5) },
		"has skin 5 of 1":       func(doc *gltf.Document) { doc.Nodes[0].Skin = gltf.Index(5) },
		"has node 9 of 4":       func(doc *gltf.Document) { doc.Skins[0].Joints[0] = 9 },
		"2 bind matrices for 3": func(doc *gltf.Document) { doc.Skins[0].Joints = []int{1, 2, 3} },
		"on joint 1 of 1":       func(doc *gltf.Document) { doc.Skins[0].Joints = []int{1} },
		"material 3 of 1": func(doc *gltf.Document) {
			doc.Meshes[0].Primitives[0].Material = gltf.Index(3)
		},
		"accessor 77": func(doc *gltf.Document) {
			doc.Meshes[0].Primitives[0].Attributes[gltf.NORMAL] = 77
		},
		"not fit for their use": func(doc *gltf.Document) {
			doc.Meshes[0].Primitives[0].Indices = gltf.Index(
				doc.Meshes[0].Primitives[0].Attributes[gltf.NORMAL])
		},
		"vertices, there are": func(doc *gltf.Document) {
			doc.Accessors[doc.Meshes[0].Primitives[0].Attributes[gltf.NORMAL]].Count = 3
		},
		"reach beyond buffer": func(doc *gltf.Document) {
			doc.Accessors[doc.Meshes[0].Primitives[0].Attributes[gltf.NORMAL]].ByteOffset = 1 << 30
		},
		"there are 4 vertices": func(doc *gltf.Document) {
			doc.Meshes[1].Primitives[0].Indices = doc.Meshes[0].Primitives[0].Indices
		},
		"no positions": func(doc *gltf.Document) {
			delete(doc.Meshes[0].Primitives[0].Attributes, gltf.POSITION)
		},
		"no joints or no weights": func(doc *gltf.Document) {
			delete(doc.Meshes[0].Primitives[0].Attributes, gltf.JOINTS_0)
		},
		"needs the extension": func(doc *gltf.Document) {
			doc.ExtensionsRequired = []string{"KHR_draco_mesh_compression"}
		},
		"moves node 6": func(doc *gltf.Document) {
			doc.Animations[0].Channels[0].Target.Node = gltf.Index(6)
		},
		"sampler 4 of 1": func(doc *gltf.Document) {
			doc.Animations[0].Channels[0].Sampler = 4
		},
		"times and": func(doc *gltf.Document) {
			doc.Animations[0].Samplers[0].Interpolation = gltf.InterpolationCubicSpline
		},
		"nothing to draw": func(doc *gltf.Document) { doc.Scenes[0].Nodes = nil },
	} {
		t.Run(want, func(t *testing.T) {
			doc := arm.Document()
			damage(doc)
			oneLine(t, save(t, doc), want)
		})
	}
}

// Whatever bytes are changed, there is a model or an error of one line, and no more memory is
// taken than the file could fill.
func TestChangedBytes(t *testing.T) {
	whole, err := os.ReadFile(save(t, arm.Document()))
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "changed.glb")
	r := vec.NewRand(9)
	bad := 0
	for range 1500 {
		text := bytes.Clone(whole)
		for range 1 + r.Intn(3) {
			text[r.Intn(len(text))] ^= byte(1 << r.Intn(8))
		}
		require.NoError(t, os.WriteFile(name, text, 0o600))
		if _, err := model.Load(name); err != nil {
			bad++
			require.NotContains(t, err.Error(), "\n")
		}
	}
	require.Greater(t, bad, 100)
}

// The test models of Debian's package assimp-testmodels, where that is installed.
func TestPublicModels(t *testing.T) {
	skin, err := model.Load(assimp.Public(t, "simple_skin", "simple_skin.gltf"))
	require.NoError(t, err)
	require.Equal(t, 3, skin.Skeleton.Len())
	require.Len(t, skin.Mesh.Index, 24)
	require.InDelta(t, 5.5, skin.Clips[0].Duration(), 1e-4)
	moved := posed(t, skin, 1.5)
	require.Greater(t, moved[len(moved)-1].Dist(posed(t, skin, 0)[len(moved)-1]), float32(0.5))

	engine, err := model.Load(assimp.Public(t, "2CylinderEngine-glTF-Binary",
		"2CylinderEngine.glb"))
	require.NoError(t, err)
	require.Greater(t, len(engine.Mesh.Index)/3, 10000)
	require.False(t, engine.Bounds.Empty())

	for file, want := range map[string]string{
		"MissingBin/BoxTextured.gltf":        "is missing",
		"RecursiveNodes/RecursiveNodes.gltf": "",
		"draco/2CylinderEngine.gltf":         "KHR_draco_mesh_compression",
	} {
		folder, name := filepath.Split(file)
		oneLine(t, assimp.Public(t, folder, name), want)
	}
}
