package edited

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// Overlay is the name of the file, in the folder of an edit, that tells the go command of it.
const Overlay = "overlay.json"

// A Build says which tests are built, and how.
type Build struct {
	Root string   // the folder in which the go command runs
	Pkg  string   // of the tests: "./lockfree"
	Args []string // more for go test -c: tags, say
}

// Make builds the tests as they are and returns the output of the go command if it fails.
func (b Build) Make(ctx context.Context, binary string) (output string, err error) {
	return b.make(ctx, binary, nil)
}

// MakeEdited builds the tests with other texts in the place of files, or beside them, by their
// names; with an empty text, without the file. No file is changed. It leaves in dir what it needs,
// and the binary, whose name it returns.
func (b Build) MakeEdited(ctx context.Context, dir string,
	texts map[string]string) (binary, output string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", "", err
	}
	replace := make(map[string]string)
	for file, text := range texts {
		if replace[file] = ""; text == "" {
			continue
		}
		replace[file] = filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(replace[file], []byte(text), 0o666); err != nil {
			return "", "", err
		}
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", "", err
	}
	config := filepath.Join(dir, Overlay)
	if err := os.WriteFile(config, overlay, 0o666); err != nil {
		return "", "", err
	}
	binary = filepath.Join(dir, "tests.exe") // so that every system runs it
	if output, err = b.make(ctx, binary, []string{"-overlay=" + config}); err != nil {
		return "", output, fmt.Errorf("does not build: %w", err)
	}
	return binary, "", nil
}

func (b Build) make(ctx context.Context, binary string, more []string) (output string, err error) {
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", binary}, b.Args...)
	cmd := cli.Process(ctx, "go", append(append(args, more...), b.Pkg)...)
	cmd.Dir = b.Root
	// The compiler and the linker live for a second: it costs more to collect their garbage than to
	// keep it.
	cmd.Env = append(os.Environ(), "GOGC=400")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
