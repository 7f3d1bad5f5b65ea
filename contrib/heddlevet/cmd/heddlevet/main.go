// The command heddlevet reports common mistakes in programs that use Heddle. The go command runs
// it:
//
//	go vet -vettool=$(which heddlevet) ./...
package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/heddle-go/heddle/contrib/heddlevet"
)

func main() { unitchecker.Main(heddlevet.Analyzers()...) }
