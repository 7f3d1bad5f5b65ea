// Package compare measures three embedded stores at what the registry of package store does: it
// writes 100,000 resources at once, reads all of them at a start, and changes a few now and then,
// each time so that they are on the disk. Look-ups are served from memory, and are measured only to
// show why.
//
//	go -C assets/store/compare test -run '^$' -bench . -benchtime 200ms
//
// It is a module of its own, so that nobody else downloads what was not chosen.
package compare
