package raster

import "github.com/heddle-go/heddle/examples/internal/engine/vec"

// A View is where a picture is taken from.
type View struct {
	Eye                vec.Vec3
	Right, Up, Forward vec.Vec3 // of length 1, at right angles
	TanX, TanY         float32  // of half the angles of view
	Near               float32
	ViewProj           vec.Mat4 // world to clip space
}

// NewView returns the view of an eye that looks at a target. fovY is the vertical angle,
// aspect the width over the height of the picture. What is nearer than near is not drawn, and
// there is no far limit.
func NewView(eye, target vec.Vec3, fovY, aspect, near float32) View {
	f := target.Sub(eye).Normalize()
	r := f.Cross(vec.V3(0, 1, 0)).Normalize()
	v := View{
		Eye: eye, Forward: f, Right: r, Up: r.Cross(f),
		TanX: vec.Tan(fovY/2) * aspect, TanY: vec.Tan(fovY / 2), Near: near,
	}
	proj := vec.Perspective(fovY, aspect, near, 1e4*near)
	look := vec.LookAt(eye, target, vec.V3(0, 1, 0))
	v.ViewProj = proj.Mul(&look)
	return v
}

// ray returns the vector from the eye to the point of the plane at distance 1 that is seen at
// x, y of a picture of w by h.
func (v *View) ray(x, y, w, h float32) vec.Vec3 {
	return v.Forward.
		AddScaled(v.Right, v.TanX*(2*x/w-1)).
		AddScaled(v.Up, v.TanY*(1-2*y/h))
}
