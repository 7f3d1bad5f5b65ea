// Command typecheck parses and type-checks the packages of the Go tree, or of a module
// with all its dependencies, as a task graph: one task a package, which starts when the
// tasks of all its imports are done. It does the same work in two other ways, one package
// after the other and with one goroutine and one channel a package, and shows that all
// three find the same.
//
//	go -C examples run ./typecheck                   # the standard library
//	go -C examples run ./typecheck -dir ../../other  # a module and what it imports
//	go -C examples run ./typecheck -profile          # and where the time went
//	go -C examples run ./typecheck -trace run.pb     # a trace for ui.perfetto.dev
//
// What to look for in the source:
//
//   - The import graph becomes the task graph edge by edge, with [taskgraph.Task.After].
//   - A task's result is a plain variable, without lock or atomic. The task that depends
//     on it may read it, because completion happens before the start of a dependent.
//   - A package with a syntax error fails its task. Its importers are skipped without a
//     line of code here, and their events tell which package was the cause. All others
//     are checked as ever. A package with type errors still has an API to import, so its
//     importers are checked.
//   - Packages that a long chain of importers waits for go first, by five priorities.
//
// The figures are medians over -runs rounds. In each round every way has its turn, each
// on a freshly collected heap. The garbage collector is set to start later than by
// default, the same for all three (the environment variable GOGC goes before); otherwise
// it fills the cores that a serial run leaves idle, and the comparison shows it as much
// as the schedulers. The passes of the graph are recorded (Options.Trace). Critical path,
// parallelism, -profile, -trace and -dot are of the one that took as long as half of them.
//
// The exit status is 0 if all is well; 1 after bad input, after an error in the checked
// packages, or if the results differ; 2 if the command line cannot be understood. Errors
// in packages that are only imported from other modules are not counted.
package main
