// Package assimp finds the glTF test models of Debian's package assimp-testmodels.
package assimp

import (
	"os"
	"path/filepath"
	"testing"
)

// needed names the variable that says that this machine has the package. If it is set, a test that
// cannot run fails.
const needed = "ASSIMP_NEEDED"

// Public returns the path of one of the models. If the package is not installed, it skips the test.
func Public(t *testing.T, folder, name string) string {
	t.Helper()
	const dir = "/usr/share/assimp/models/glTF2"
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv(needed) != "" {
			t.Fatalf("%s is set: %v", needed, err)
		}
		t.Skip("assimp-testmodels is not installed")
	}
	return filepath.Join(dir, folder, name)
}
