// Package anim animates characters: it samples and blends clips on skeletons, and skins meshes
// with four weights a vertex.
//
// A [Skeleton], its [Clip]s and a [Mesh] are made once and read ever after. A [Crowd] holds the
// characters that share them. [Crowd.Pose] and [Mesh.Skin] touch one character, or a range of one
// character's vertices, each, so that any cut of the work into tasks gives the same bits.
// Nothing is allocated after set-up.
package anim
