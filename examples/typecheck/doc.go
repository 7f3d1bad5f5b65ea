// Command typecheck parses and type-checks the packages of Go's standard library, or of a module
// with all its dependencies, as a task graph: one task for each package, which starts when the
// tasks of all its imports have completed. It does the same work in two other ways, one package
// after the other and with a goroutine and a channel for each package. It checks that all three
// ways find the same exported API and the same errors, and reports how long each took.
//
//	go -C examples run ./typecheck                       # the standard library
//	go -C examples run ./typecheck -dir ../../other      # a module and all that it imports
//	go -C examples run ./typecheck -lanes lanes.svg      # a picture: which worker did what when
//	go -C examples run ./typecheck -profile              # and where the time went
//	go -C examples run ./typecheck -trace run.pb         # a trace for ui.perfetto.dev
//
// What to look for in the source:
//
//   - The import graph becomes the task graph edge by edge, with [taskgraph.Task.After].
//   - The result of a task is a plain variable, without a lock or an atomic. A task that depends
//     on it may read it, because a task completes before its dependents start.
//   - A package with a syntax error fails its task. Its importers are skipped without a line of
//     code here, and their events say which package was the cause. All other packages are checked
//     as usual. A package with type errors still has an API to import, so its importers are
//     checked.
//   - A package that a long chain of importers waits for starts early. The length of the chain
//     decides which of five priorities the task has.
//
// The reported times are medians over -runs rounds. Each round runs all three ways, each on a heap
// that was just collected. Unless GOGC is set in the environment, the garbage collector starts
// later than by default, equally for all three ways. Otherwise the collector would use the
// processors that a serial run leaves idle, and the comparison would show the collector as much as
// the schedulers. The runs of the task graph are recorded (Options.Trace). The critical path,
// -profile, -trace, -lanes and -dot describe the recorded run with the median time.
//
// The exit status is 0 if all is well; 1 after bad input, if a checked package has an error, or if
// the results differ; 2 if the command line cannot be understood. Errors in packages that are only
// imported from other modules are not counted.
package main
