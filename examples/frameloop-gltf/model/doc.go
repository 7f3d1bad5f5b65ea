// Package model reads glTF 2.0 files, text or binary, into the engine's characters: one
// skeleton, one mesh, and clips.
//
// Every node of the file becomes a bone. A mesh without a skin hangs on its node's bone with
// all its weight, so that a machine of moving parts is a character too. Colours are those of
// the materials and the vertices; textures, cameras, morph targets, and more than four joints
// a vertex are left out. A file that needs an extension which changes the shape is refused.
package model
