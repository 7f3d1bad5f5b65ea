package traces

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/export"
)

// Usage is what the flag of a trace says.
const Usage = "write a trace for ui.perfetto.dev to `FILE`, by its ending: .json, which " +
	"chrome://tracing opens too, or .pb, which is smaller"

// Format returns what writes a trace to a file of that name. The error names the flag.
func Format(flag, name string) (func(w io.Writer, s *trace.Snapshot) error, error) {
	switch filepath.Ext(name) {
	case ".json":
		return export.JSON, nil
	case ".pb":
		return export.Perfetto, nil
	}
	return nil, fmt.Errorf("-%s %s: want a name that ends in .json or .pb", flag, name)
}
