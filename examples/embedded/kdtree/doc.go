// Package kdtree finds nearest points in space, with a tree that it builds in parallel. It is an
// example of a library that has no workers of its own: see docs/embedding.md.
package kdtree
