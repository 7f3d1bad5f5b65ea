package shipped

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// Module is the path of the module.
const Module = "github.com/heddle-go/heddle"

// beside are the folders of what serves tests, commands and readers. The engine of the model
// checker is linked only under its tag.
var beside = []string{"stress", "examples", "bench", "docs", "internal/dev", "internal/modelcheck"}

// Is reports whether a folder, with slashes and from the root, is one of the library's.
func Is(dir string) bool {
	for _, b := range beside {
		if dir == b || strings.HasPrefix(dir, b+"/") {
			return false
		}
	}
	return dir != "" && dir != "."
}

// Packages returns the folders of the library's packages, from the root, as the go command lists
// them for this machine: "graphevent", "internal/atomics".
func Packages(ctx context.Context, root string) (dirs []string, err error) {
	cmd := cli.Process(ctx, "go", "list", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	for _, path := range strings.Fields(string(out)) {
		if dir, in := strings.CutPrefix(path, Module+"/"); in && Is(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}
