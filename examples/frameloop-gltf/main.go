package main

import (
	"bytes"

	"github.com/qmuntal/gltf"

	"github.com/heddle-go/heddle/examples/frameloop-gltf/internal/arm"
	"github.com/heddle-go/heddle/examples/frameloop-gltf/model"
	"github.com/heddle-go/heddle/examples/internal/engine/mesh"
	"github.com/heddle-go/heddle/examples/internal/engine/scene"
	"github.com/heddle-go/heddle/examples/internal/engine/store"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
	"github.com/heddle-go/heddle/examples/internal/frame"
)

func main() { program.Main() }

// program is the command without its process.
var program = frame.Program{
	Name: "frameloop-gltf", Setting: scene.Courtyards, Model: figures, BuiltIn: "a built-in arm",
	Format: frame.Format{Extensions: []string{".gltf", ".glb"}, Parse: prop},
}

// prop reads a file of -dir as a model that stands still, with its skeleton at rest.
func prop(name string, read store.Reader) (*mesh.Mesh, error) {
	m, err := model.Read(name, read)
	if err != nil {
		return nil, err
	}
	pos, normal, err := m.AtRest()
	if err != nil {
		return nil, err
	}
	return &mesh.Mesh{Pos: pos, Nrm: normal, Col: m.Mesh.Color, Idx: m.Mesh.Index}, nil
}

// figures reads a file as what the figures of a scene look like. Without a name, it is the arm.
func figures(file string) (scene.Model, error) {
	m, err := load(file)
	if err != nil {
		return scene.Model{}, err
	}
	return scene.Model{Skeleton: m.Skeleton, Mesh: m.Mesh, Clips: m.Clips, Fit: fit(m.Bounds)}, nil
}

func load(file string) (*model.Model, error) {
	if file != "" {
		return model.Load(file)
	}
	var b bytes.Buffer
	if err := gltf.NewEncoder(&b).Encode(arm.Document()); err != nil {
		return nil, err
	}
	return model.Read("arm.glb", func(string) ([]byte, error) { return b.Bytes(), nil })
}

// The room that a figure has.
const (
	figureHeight = 1.8 // metres
	figureWidth  = 2.0
)

// fit returns the transformation that makes a model of these bounds stand on the origin, as large
// as the room for a figure allows. In files and in the engine alike, up is +Y and ahead is +Z.
func fit(b vec.AABB) vec.Mat4 {
	size := b.Max.Sub(b.Min)
	scale := min(figureHeight/max(size.Y, 1e-6), figureWidth/max(size.X, size.Z, 1e-6))
	foot := vec.V3((b.Min.X+b.Max.X)/2, b.Min.Y, (b.Min.Z+b.Max.Z)/2)
	m, down := vec.Scaling(vec.V3(scale, scale, scale)), vec.Translation(foot.Scale(-1))
	return m.Mul(&down)
}
