package clock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tag is the build tag of what Build builds, for code that calls time.HeddleJump.
const Tag = "heddle_clock"

// added is a file of the package time in such a build. The monotonic part of a time stays as it is,
// as it does when an administrator sets the clock.
const added = `package time

import "sync/atomic"

var heddleJumped atomic.Int64

// HeddleJump makes the wall clock of this process so many seconds late or early.
func HeddleJump(seconds int64) { heddleJumped.Store(seconds) }

func heddleNow() (sec int64, nsec int32, mono int64) {
	sec, nsec, mono = runtimeNow()
	return sec + heddleJumped.Load(), nsec, mono
}
`

// BuildTest builds the tests of the package in the working directory as a program, in a directory.
// All that it is made of, and so all libraries, has the clock that time.HeddleJump sets.
func BuildTest(dir string) (program string, err error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("clock: go env: %w", err)
	}
	src := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	text, err := os.ReadFile(filepath.Join(src, "time.go"))
	if err != nil {
		return "", err
	}
	const now = ":= runtimeNow()"
	if !bytes.Contains(text, []byte("func Now() Time {\n\tsec, nsec, mono "+now)) {
		return "", errors.New("clock: the package time of this release of Go is another one")
	}
	text = bytes.ReplaceAll(text, []byte(now), []byte(":= heddleNow()"))
	replace := map[string]string{}
	for name, text := range map[string][]byte{"time.go": text, "heddle.go": []byte(added)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(src, name)] = path
	}
	text, err = json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "test")
	out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-tags", Tag,
		"-o", program, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("clock: go test -c: %w\n%s", err, out)
	}
	return program, nil
}
