package migration

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// debianCrates is where Debian's package librust-rayon-dev puts sources.
const debianCrates = "/usr/share/cargo/registry"

// missing skips a test that needs what is not there, or fails it if the environment says that it
// must run.
func missing(t *testing.T, err error, what string) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv("NATIVE_NEEDED") != "" {
		t.Fatalf("no %s: %v", what, err)
	}
	t.Skipf("no %s: %v", what, err)
}

func runs(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// TestOneTBB compiles and runs the C++ side.
func TestOneTBB(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long to compile")
	}
	_, err := exec.LookPath("g++")
	_, headers := os.Stat("/usr/include/tbb/task_group.h")
	missing(t, errors.Join(err, headers), "g++ with oneTBB (Debian: libtbb-dev)")
	program := filepath.Join(t.TempDir(), "onetbb")
	runs(t, exec.Command("g++", "-std=c++17", "-Wall", "-pthread", "-o", program,
		"native/onetbb.cpp", "-ltbb"))
	runs(t, exec.Command(program))
}

// TestRayon compiles and runs the Rust side, from the sources that Debian has of rayon.
func TestRayon(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long to compile")
	}
	_, err := exec.LookPath("cargo")
	crates, _ := filepath.Glob(debianCrates + "/rayon-[0-9]*")
	if len(crates) == 0 {
		err = errors.Join(err, os.ErrNotExist)
	}
	missing(t, err, "cargo with rayon (Debian: cargo, librust-rayon-dev)")
	source, err := filepath.Abs("native/rayon.rs")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte(`[package]
name = "migration"
version = "0.0.0"
edition = "2021"
[dependencies]
rayon = "1"
[[bin]]
name = "migration"
path = "`+source+`"
`), 0o600))
	cmd := exec.Command("cargo", "run", "--offline",
		"--config", `source.crates-io.replace-with="debian"`,
		"--config", `source.debian.directory="`+debianCrates+`"`)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CARGO_TARGET_DIR="+filepath.Join(dir, "target"),
		"CARGO_HOME="+filepath.Join(dir, "home"))
	runs(t, cmd)
}
