package taskgraph

import (
	"reflect"

	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
)

// A LoopSite remembers what an element of a loop costs, in place of the system, which remembers
// that by the code of the body: for a body that serves several purposes, a LoopSite for each. The
// zero value is ready; any loops may use one at the same time; it must not be copied after use.
type LoopSite struct {
	cost loopcost.Cell
}

func isSite(site any) bool {
	if l, ok := site.(*LoopSite); ok {
		return l != nil
	}
	return reflect.TypeOf(site).Kind() == reflect.Func
}
