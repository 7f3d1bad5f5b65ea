// Package changes tells which files of a directory tree have changed, for programs that load them
// again while they run. A [Watcher] tells it by events of the operating system, many of which make
// one batch.
package changes
