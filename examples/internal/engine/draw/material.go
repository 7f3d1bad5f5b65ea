package draw

import (
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// The materials of the scene. Crate is for the box -1..1 under a matrix that gives it its size;
// Fabric and Dressed take their colours from the vertices.
var (
	Paving = raster.Material{
		Pattern: raster.Slabs, Scale: 1.2, Specular: 0.05, Gloss: 4,
		Color: vec.V3(0.36, 0.33, 0.29), Second: vec.V3(0.09, 0.08, 0.065),
	}
	Meadow = raster.Material{
		Pattern: raster.Grass,
		Color:   vec.V3(0.13, 0.17, 0.04), Second: vec.V3(0.22, 0.17, 0.08),
	}
	Marble = raster.Material{
		Pattern: raster.Stone, Specular: 0.06, Gloss: 4,
		Color: vec.V3(0.62, 0.57, 0.49), Second: vec.V3(0.3, 0.25, 0.2),
	}
	Cliff = raster.Material{
		Pattern: raster.Stone, Specular: 0.02, Gloss: 3,
		Color: vec.V3(0.4, 0.34, 0.27), Second: vec.V3(0.2, 0.15, 0.11),
	}
	OldWall = raster.Material{
		Pattern: raster.Plaster,
		Color:   vec.V3(0.38, 0.15, 0.09), Second: vec.V3(0.6, 0.5, 0.38),
	}
	Crate = raster.Material{
		Pattern: raster.Crate, ModelCoat: true, Specular: 0.03, Gloss: 3,
		Color: vec.V3(0.45, 0.26, 0.12), Second: vec.V3(0.03, 0.02, 0.015),
	}
	Iron = raster.Material{
		Color: vec.V3(0.05, 0.05, 0.055), Specular: 0.35, Gloss: 4,
	}
	Dressed = raster.Material{Color: vec.V3(1, 1, 1), Specular: 0.04, Gloss: 4}
	Fabric  = raster.Material{Color: vec.V3(1, 1, 1), TwoSided: true, Through: 0.35}
	// Glazed is for props, Warning for what stands in their place.
	Glazed  = raster.Material{Color: vec.V3(1, 1, 1), Specular: 0.25, Gloss: 5}
	Warning = raster.Material{Pattern: raster.Slabs, Scale: 0.2, Color: vec.V3(0.9, 0.02, 0.7),
		Second: vec.V3(0.02, 0.02, 0.02)}
)
