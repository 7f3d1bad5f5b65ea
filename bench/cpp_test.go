package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFirstError(t *testing.T) {
	require.Equal(t, "tbb/x.h: No such file or directory",
		firstError([]byte("In file\nx.cpp:4:10: fatal error: tbb/x.h: No such file or directory\n"),
			nil))
	require.Equal(t, "ld: cannot find -ltbb",
		firstError([]byte("ld: cannot find -ltbb\ncollect2: error\n"), nil))
	require.Equal(t, os.ErrInvalid.Error(), firstError(nil, os.ErrInvalid))
}

// A program is built once for its sources and command line; one that cannot be is absent.
func TestBuildOnce(t *testing.T) {
	c := newCPP(cppAuto)
	c.cache, c.optimize = t.TempDir(), "-O0"
	if _, err := exec.LookPath(c.compiler); err != nil {
		_, err := c.build(t.Context(), plainProgram)
		require.True(t, isAbsent(err))
		t.Logf("nothing to build with: %v", err)
		return
	}
	path, err := c.build(t.Context(), plainProgram)
	require.NoError(t, err)
	first, err := os.Stat(path)
	require.NoError(t, err)
	again, err := c.build(t.Context(), plainProgram)
	require.NoError(t, err)
	require.Equal(t, path, again)
	second, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(first, second))

	missing := plainProgram
	missing.name, missing.library = "nothing", "such library"
	_, err = c.build(t.Context(), missing)
	require.True(t, isAbsent(err))
	require.ErrorContains(t, err, "no such library")
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "nothing*"))
	require.NoError(t, err)
	require.Empty(t, left)

	child, err := startChild(path, "")
	require.NoError(t, err)
	_, err = child.ask("no-such-job n=1")
	require.EqualError(t, err, "the C++ program says: error no such job")
	_, err = child.ask("ring n=1")
	require.EqualError(t, err, "the C++ program says: error the job lacks peers")
	took, err := child.ask("ring peers=1 n=100 turn=1")
	require.NoError(t, err)
	require.Len(t, took, 1)
	require.False(t, child.stuck())
	require.NoError(t, child.close())
	_, err = child.ask("ring peers=1 n=100 turn=1")
	require.Error(t, err)
	require.True(t, child.stuck())
}

// The file of a shape is written once.
func TestShapeFiles(t *testing.T) {
	f, err := newShapeFiles()
	require.NoError(t, err)
	g := pattern{"tree", 3, 2, 3, 3}.shape()
	path, err := f.path(g)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var numbers []string
	for i := 0; i < len(text); i += 4 {
		numbers = append(numbers, string('0'+rune(text[i])))
	}
	require.Equal(t, "5 000 1010 1110 2011 2111",
		strings.Join(groups(strings.Join(numbers, "")), " "))
	again, err := f.path(g)
	require.NoError(t, err)
	require.Equal(t, path, again)
	require.NoError(t, f.close())
	require.NoFileExists(t, path)
}

// groups cuts what a shape's file holds, a digit a number, into the count and the tasks.
func groups(digits string) []string {
	all := []string{digits[:1]}
	for rest := digits[1:]; rest != ""; {
		n := 3 + int(rest[2]-'0')
		all, rest = append(all, rest[:n]), rest[n:]
	}
	return all
}
