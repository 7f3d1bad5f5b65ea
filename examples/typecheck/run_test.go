package main

import (
	"fmt"
	"go/constant"
	"go/types"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
)

// Each package of a random graph exports one more than the sum of what its imports
// export, so that the values show whether each import was checked before its importer.
func TestRunnersAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fs := files{}
	want := make([]int64, 80)
	for i := range want {
		var imports, sum strings.Builder
		want[i] = 1
		for _, imp := range rng.Perm(i)[:min(i, rng.IntN(5))] {
			fmt.Fprintf(&imports, "import \"example.com/m/p%02d\"\n", imp)
			fmt.Fprintf(&sum, " + p%02d.V", imp)
			want[i] = (want[i] + want[imp]) % 1_000_003
		}
		name := fmt.Sprintf("p%02d", i)
		fs[name+"/p.go"] = fmt.Sprintf("package %s\n\n%s\nconst V = (1%s) %% 1000003\n", name,
			&imports, &sum)
	}
	g := loaded(t, module(t, fs))
	require.Len(t, g.pkgs, len(want))

	digest := ""
	for _, r := range runners {
		for range 3 {
			p := passed(t, g, r)
			for i := range want {
				pkg := p.result(t, fmt.Sprintf("example.com/m/p%02d", i)).types
				v := pkg.Scope().Lookup("V").(*types.Const).Val()
				got, _ := constant.Int64Val(v)
				require.Equal(t, want[i], got)
			}
			if digest == "" {
				digest = p.digest()
			}
			require.Equal(t, digest, p.digest(), r.name)
		}
	}
}

func TestRunnersSkipAlike(t *testing.T) {
	g := loaded(t, module(t, files{
		"base/base.go":     "package base\n",
		"broken/broken.go": "package broken\n\nimport _ \"example.com/m/base\"\n\nfunc (\n",
		"user/user.go":     "package user\n\nimport _ \"example.com/m/broken\"\n",
		"top/top.go":       "package top\n\nimport _ \"example.com/m/user\"\nimport _ \"example.com/m/broken\"\n",
		"other/other.go":   "package other\n\nimport _ \"example.com/m/base\"\n",
	}))
	digest := ""
	for _, r := range runners {
		t.Run(r.name, func(t *testing.T) {
			p := passed(t, g, r)
			broken := p.result(t, "example.com/m/broken")
			require.NotNil(t, broken.failure)
			require.Nil(t, broken.types)
			require.Nil(t, broken.cause)
			for _, path := range []string{"example.com/m/user", "example.com/m/top"} {
				require.Same(t, broken.failure, p.result(t, path).cause, path)
				require.Nil(t, p.result(t, path).types)
				require.Nil(t, p.result(t, path).failure)
			}
			for _, path := range []string{"example.com/m/base", "example.com/m/other"} {
				require.NotNil(t, p.result(t, path).types, path)
				require.Nil(t, p.result(t, path).cause)
			}
			if digest == "" {
				digest = p.digest()
			}
			require.Equal(t, digest, p.digest())
		})
	}
}

func TestVanishedFile(t *testing.T) {
	dir := module(t, sound)
	g := loaded(t, dir)
	require.NoError(t, os.Remove(filepath.Join(dir, "left", "left.go")))
	for _, r := range runners {
		p := passed(t, g, r)
		left := p.result(t, "example.com/m/left").failure
		require.ErrorContains(t, left, "left.go", r.name)
		require.Same(t, left, p.result(t, "example.com/m").cause, r.name)
		require.NotNil(t, p.result(t, "example.com/m/right").types, r.name)
	}
}

// A body that panics is an error of the program, not of the packages.
func TestPanicEndsTheRun(t *testing.T) {
	p := newPass(t.Context(), loaded(t, module(t, sound)))
	p.results = p.results[:len(p.results)-1]
	err := runGraph(p, 2, p.g.ranks(), nil)
	var panicked *graphevent.PanicError
	require.ErrorAs(t, err, &panicked)
	require.ErrorContains(t, err, "example.com/m: ")
	require.NotContains(t, err.Error(), "\n")
}
