// Package raster draws triangles and splats into a picture, in software: depth buffer,
// perspective-correct interpolation, sun with a shadow map, ambient light with occlusion, fog,
// sky and tone mapping.
//
// A picture is drawn in stages. Each is a function over a range; the ranges of one stage may
// run in any order and at the same time, and a stage starts when the one before is complete:
//
//	[Renderer.Begin]   once: takes the view, the light and what there is to draw
//	[Renderer.Setup]   items: moves vertices to the screen, prepares triangles
//	[Renderer.Splats]  splats: moves them to the screen, lights them
//	[Renderer.Sort]    once: orders the splats, needs Splats only
//	[Renderer.Raster]  tiles: which triangle is seen at each sample, needs Setup only
//	[Renderer.Occlude] tiles: how open the sky is above each pixel, needs Raster
//	[Renderer.Shade]   tiles: colour, needs everything above
//
// A [Shadow] has the stages Begin, Setup and Draw of its own, which must be complete before
// Splats and Shade. What a range writes no other range of the same stage reads, so the picture
// is the same, bit for bit, however the work is cut and whoever does it.
//
// An item that is nowhere seen has no influence on the picture, nor has the order of the
// items, unless two lie at the same depth: then the one earlier in the list is seen.
//
// After the buffers have grown to what is drawn, nothing is allocated; [Renderer.Reserve]
// grows them beforehand.
package raster
