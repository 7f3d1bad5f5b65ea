// Package arm makes a small skinned model: the figures of the command if no file is named, and a
// model for tests.
package arm

import (
	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
)

// Document returns a model with a square bar from y = 0 to 2, skinned to two joints at y = 0 and 1.
// The upper joint turns by a right angle about Z in a second. A cube without a skin hangs on its
// end.
func Document() *gltf.Document {
	doc := gltf.NewDocument()
	var pos, nrm [][3]float32
	var joints [][4]uint8
	var weights [][4]float32
	var idx []uint16
	for y := range 5 {
		w := float32(y) / 4 // of the upper joint
		for k := range 4 {
			x, z := []float32{1, -1, -1, 1}[k], []float32{1, 1, -1, -1}[k]
			pos = append(pos, [3]float32{0.1 * x, float32(y) / 2, 0.1 * z})
			nrm = append(nrm, [3]float32{0.7071068 * x, 0, 0.7071068 * z})
			joints = append(joints, [4]uint8{0, 1, 0, 0})
			weights = append(weights, [4]float32{1 - w, w, 0, 0})
			if y > 0 {
				a, b := uint16(4*y-4+k), uint16(4*y-4+(k+1)%4)
				idx = append(idx, a, a+4, b+4, a, b+4, b)
			}
		}
	}
	cube := [][3]float32{{0, 0, 0}, {0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.2}}
	doc.Materials = []*gltf.Material{
		{PBRMetallicRoughness: &gltf.PBRMetallicRoughness{
			BaseColorFactor: &[4]float64{0.5, 0.25, 1, 1}}}}
	doc.Meshes = []*gltf.Mesh{
		{Primitives: []*gltf.Primitive{{
			Indices: gltf.Index(modeler.WriteIndices(doc, idx)), Material: gltf.Index(0),
			Attributes: gltf.PrimitiveAttributes{
				gltf.POSITION:  modeler.WritePosition(doc, pos),
				gltf.NORMAL:    modeler.WriteNormal(doc, nrm),
				gltf.JOINTS_0:  modeler.WriteJoints(doc, joints),
				gltf.WEIGHTS_0: modeler.WriteWeights(doc, weights),
			},
		}}},
		{Primitives: []*gltf.Primitive{{
			Indices: gltf.Index(modeler.WriteIndices(doc,
				[]uint16{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3})),
			Attributes: gltf.PrimitiveAttributes{gltf.POSITION: modeler.WritePosition(doc, cube)},
		}}},
	}
	bind := func(y float32) [4][4]float32 { // row after row
		return [4][4]float32{{1, 0, 0, 0}, {0, 1, 0, -y}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	}
	doc.Skins = []*gltf.Skin{{Joints: []int{1, 2},
		InverseBindMatrices: gltf.Index(modeler.WriteInverseBindMatrices(doc,
			[][4][4]float32{bind(0), bind(1)}))}}
	doc.Nodes = []*gltf.Node{
		// of no effect
		{Name: "bar", Mesh: gltf.Index(0), Skin: gltf.Index(0), Translation: [3]float64{50, 0, 0}},
		{Name: "lower", Children: []int{2}},
		{Name: "upper", Children: []int{3}, Translation: [3]float64{0, 1, 0}},
		{Name: "end", Mesh: gltf.Index(1), Translation: [3]float64{0, 1, 0}},
	}
	doc.Scenes[0].Nodes = []int{0, 1}
	times := modeler.WriteAccessor(doc, gltf.TargetNone, []float32{0, 1})
	turns := modeler.WriteAccessor(doc, gltf.TargetNone,
		[][4]float32{{0, 0, 0, 1}, {0, 0, 0.7071068, 0.7071068}})
	doc.Animations = []*gltf.Animation{{
		Name:     "bend",
		Samplers: []*gltf.AnimationSampler{{Input: times, Output: turns}},
		Channels: []*gltf.AnimationChannel{{Target: gltf.AnimationChannelTarget{Node: gltf.Index(2),
			Path: gltf.TRSRotation}}},
	}}
	return doc
}
