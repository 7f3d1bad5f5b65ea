// Command embedded uses two libraries that have no workers, kdtree and columns, on one system. It
// summarises a table of points while it builds a tree of them, and then searches the tree. It does
// the same without a system, on one goroutine and on a goroutine for each library, compares the
// results, and prints how long each way took. See docs/embedding.md.
//
//	go -C examples run ./embedded
//
// The exit status is 0 if the results are equal, 1 if not or if a value is out of range, and 2 if
// the command line cannot be understood.
package main
