// Package heddlevet finds five common mistakes in programs that use Heddle, as analyzers for go vet
// and for whatever else runs analyzers of golang.org/x/tools/go/analysis.
//
// An analyzer reports what is wrong by the contracts of package taskgraph, and only where the
// source shows it: it stays silent where it would have to guess. The README says of each mistake
// why it is one, what the suggested fix does, and what stays unseen.
package heddlevet
