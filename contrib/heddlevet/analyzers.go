package heddlevet

import (
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// Analyzers returns all analyzers of this package.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{SelfWait, LoopBuffer, Dropped, Blocking, ThreadWait}
}

// analyzer returns an analyzer that looks at packages which import taskgraph, and at no others.
func analyzer(name, doc string, run func(*program)) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      doc,
		URL:      "https://pkg.go.dev/github.com/heddle-go/heddle/contrib/heddlevet#" + name,
		Requires: []*analysis.Analyzer{inspect.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			if p := newProgram(pass); p != nil {
				run(p)
			}
			return nil, nil
		},
	}
}
