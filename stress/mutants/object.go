package main

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"regexp"
	"slices"
)

// sections hold what a program does: instructions, constants and the first values of variables.
// The tables of line numbers, which every edit changes, are elsewhere.
var sections = []string{".text", ".rodata", ".data", ".noptrdata"}

// sameProgram reports whether two test binaries do the same. Where the files are not of the ELF
// format it says no. The linker leaves out what no test calls, so that the same program may come
// of different code.
func sameProgram(a, b string) (bool, error) {
	f, err := elf.Open(a)
	var format *elf.FormatError
	if errors.As(err, &format) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	g, err := elf.Open(b)
	if err != nil {
		return false, err
	}
	defer g.Close()
	for _, name := range sections {
		x, y := f.Section(name), g.Section(name)
		if x == nil && y == nil {
			continue
		}
		if x == nil || y == nil || x.Size != y.Size || x.Addr != y.Addr {
			return false, nil
		}
		xs, err := x.Data()
		if err != nil {
			return false, err
		}
		ys, err := y.Data()
		if err != nil {
			return false, err
		}
		if !bytes.Equal(xs, ys) {
			return false, nil
		}
	}
	return true, nil
}

// listing returns a hash of the assembly code of a package and its tests, as they are or under an
// overlay, whatever the lines of the source are.
func listing(ctx context.Context, root, pkg, overlay string) (uint64, error) {
	args := []string{"test", "-c", "-vet=off", "-o", os.DevNull, "-gcflags=-S -dwarf=false"}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("the listing of %s: %w", pkg, err)
	}
	var symbols [][]byte // each with the lines below it; their order means nothing
	for line := range bytes.Lines(position.ReplaceAll(out, nil)) {
		if len(symbols) == 0 || line[0] != '\t' {
			symbols = append(symbols, nil)
		}
		last := len(symbols) - 1
		symbols[last] = append(symbols[last], line...)
	}
	slices.SortFunc(symbols, bytes.Compare)
	h := fnv.New64a()
	for _, s := range symbols {
		h.Write(s)
	}
	return h.Sum64(), nil
}

// position is where the source of an instruction stands.
var position = regexp.MustCompile(`\([^()\s]+:\d+\)`)
