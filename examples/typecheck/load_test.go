package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuildOrdersAndCounts(t *testing.T) {
	g, err := build([]listed{
		{ImportPath: "c", Imports: []string{"b", "a", "a"}, GoFiles: []string{"c1.go", "c2.go"},
			Dir: "/c"},
		{ImportPath: "b", Imports: []string{"a"}, GoFiles: []string{"b.go"}, Dir: "/b"},
		{ImportPath: "a", Dir: "/a"},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, paths(g))
	require.Equal(t, 3, g.edges)
	require.Equal(t, 3, g.files)
	require.Equal(t, []int{0, 1}, g.pkgs[2].imports)
	require.Equal(t, "c/c2.go", g.pkgs[2].files[1].name)
}

// The packages that the standard library vendors are imported by another path than theirs.
func TestBuildMapsVendoredImports(t *testing.T) {
	g, err := build([]listed{
		{ImportPath: "vendor/x", Dir: "/x"},
		{ImportPath: "net", Dir: "/net", Imports: []string{"vendor/x"},
			ImportMap: map[string]string{"x": "vendor/x"}},
	})
	require.NoError(t, err)
	require.Equal(t, 0, g.pkgs[1].named["x"])
	require.Equal(t, []int{0}, g.pkgs[1].imports)
}

func TestBuildNamesTheCycle(t *testing.T) {
	for _, test := range []struct {
		imports map[string][]string
		want    string
	}{
		{map[string][]string{"a": {"a"}}, "a imports a"},
		{map[string][]string{"b": {"a"}, "a": {"b"}}, "a imports b imports a"},
		{map[string][]string{"x": {"q"}, "q": {"d"}, "d": {"c"}, "c": {"q"}},
			"c imports q imports d imports c"},
	} {
		var list []listed
		for _, path := range []string{"x", "q", "d", "c", "b", "a"} {
			if imports, ok := test.imports[path]; ok {
				list = append(list, listed{ImportPath: path, Imports: imports, Dir: "/"})
			}
		}
		_, err := build(list)
		require.EqualError(t, err, "import cycle: "+test.want)
	}
}

func TestBuildKeepsUnlistedImportsAsFailures(t *testing.T) {
	g, err := build([]listed{{ImportPath: "a", Dir: "/a", Imports: []string{"b"}}})
	require.NoError(t, err)
	require.Equal(t, "imports b, which the go command did not list", g.pkgs[0].loadErr)
}

// With a profile beside it, a command would have its own copy of what it imports.
func TestLoadIgnoresProfiles(t *testing.T) {
	g := loaded(t, module(t,
		files{"main.go": "package main\n\nfunc main() {}\n", "default.pgo": ""}))
	for _, path := range paths(g) {
		require.NotContains(t, path, "[")
	}
}

func paths(g *graph) []string {
	var list []string
	for i := range g.pkgs {
		list = append(list, g.pkgs[i].path)
	}
	return list
}
