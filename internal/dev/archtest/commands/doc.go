// Command commands runs every command that a page or a comment prints, once, in a fresh clone of
// HEAD, and fails if one fails:
//
//	go -C internal/dev/archtest run ./commands
//	go -C internal/dev/archtest run ./commands -list
//
// A command is a line of a code block, or a span between backticks, that calls go, make, or a
// program in .ci or bin. Pages print commands as they work in the root of a clone, so each one
// starts there. table.go says what stands for a placeholder, which commands are interrupted, which
// run with less to do, and which cannot run, each with the reason. The steps of .ci/run are not
// repeated.
//
// The tests of this package run no command. They check that each one is well formed: the target,
// the package, the flags, the tests and the variables that it names exist.
package main
