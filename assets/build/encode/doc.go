// Package encode makes of a resource what a program wants to load: textures in the blocks that a
// graphics card reads, models whose triangles come in the order of its vertex cache, and sounds
// without loss in fewer bytes.
//
// An [Encoder] is a pure function of bytes to bytes. It has a name, a version and parameters, which
// together say what comes out, so that a result can be kept under them and the hash of the source:
// the same on any machine, in any process and at any time.
package encode
