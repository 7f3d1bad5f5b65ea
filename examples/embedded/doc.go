// Command embedded uses two libraries that have no workers of their own, kdtree and columns, on one
// system: it summarises a table of points while it builds a tree of them, and then asks the tree.
// See docs/embedding.md.
//
//	go -C examples run ./embedded
package main
