package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ModuleRoot returns the nearest folder, from the working directory up, that has the go.mod of a
// module. Without a name any module will do.
func ModuleRoot(module string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		first, _, _ := strings.Cut(string(text), "\n")
		if err == nil && (module == "" || strings.TrimSpace(first) == "module "+module) {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	if module == "" {
		return "", fmt.Errorf("no go.mod above the working directory")
	}
	return "",
		fmt.Errorf("run this inside the checkout: no go.mod of %s above the working directory",
			module)
}
