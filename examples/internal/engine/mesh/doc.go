// Package mesh has triangle meshes and makes those of the engine's scene: boxes, grids, bodies
// of revolution, and a figure that is grown around the bones of a skeleton. All of it runs at
// set-up and may allocate.
package mesh
