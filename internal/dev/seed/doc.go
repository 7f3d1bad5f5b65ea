// Package seed makes tests draw the same numbers in each run, unless they are asked to explore.
//
// A test package that imports pgregory.net/rapid imports this package too: it gives rapid a fixed
// seed and keeps rapid from writing files of failures. Any other test that needs random numbers
// takes them from [Rand].
//
// The environment variable HEDDLE_SEED asks for other numbers:
//
//	HEDDLE_SEED=random go test -count=1 ./...   # a random seed in each package
//	HEDDLE_SEED=42 go test -count=1 ./...       # the seed 42
//
// A test program that draws a random seed prints it first, in the form that runs the program with
// the same seed again. The go command shows that line if a test fails. Without -count=1 it may show
// the result of an earlier run.
//
// The flag -rapid.seed and the variable RAPID_SEED replace the seed of rapid alone.
package seed
