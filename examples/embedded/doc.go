// Command embedded calls two libraries, kdtree and columns, that have no workers of their own. Both
// run on the task system of the command. It summarises a table of points while it builds a tree of
// them, and then searches the tree. It does the same without a system, first on one goroutine and
// then on a goroutine for each library. It compares the results and prints how long each way took.
// See docs/embedding.md.
//
//	go -C examples run ./embedded
//
// The exit status is 0 if the results are equal, 1 if not or if a value is out of range, and 2 if
// the command line cannot be understood.
package main
