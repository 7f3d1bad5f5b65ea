package main

import (
	"go/types"
	"testing"

	"github.com/stretchr/testify/require"
)

// checked checks a module serially and returns the result of the package at its root.
func checked(t *testing.T, fs files) *result {
	t.Helper()
	return passed(t, loaded(t, module(t, fs)), runners[0]).result(t, "example.com/m")
}

func TestLanguageVersion(t *testing.T) {
	const generic = "package m\n\nfunc F[T any](T) {}\n"
	for _, test := range []struct{ mod, src, want string }{
		{"go 1.26\n", generic, ""},
		{"go 1.17\n", generic, "requires go1.18"},
		{"", generic, "requires go1.18"}, // no go line: the go command assumes 1.16
		{"go 1.21\n", "//go:build go1.22\n\npackage m\n\nfunc F() {\n\tfor range 3 {\n\t}\n}\n",
			""},
		{"go 1.21\n", "package m\n\nfunc F() {\n\tfor range 3 {\n\t}\n}\n", "cannot range over 3"},
	} {
		r := checked(t, files{"go.mod": "module example.com/m\n\n" + test.mod, "m.go": test.src})
		if test.want == "" {
			require.Empty(t, r.errs, "%s%s", test.mod, test.src)
		} else {
			require.NotEmpty(t, r.errs, "%s%s", test.mod, test.src)
			require.Contains(t, r.errs[0], test.want)
		}
	}
}

func TestUnsafe(t *testing.T) {
	dir := module(t, files{"m.go": "package m\n\nimport \"unsafe\"\n\ntype P = unsafe.Pointer\n"})
	for _, r := range runners {
		p := passed(t, loaded(t, dir), r)
		require.Same(t, types.Unsafe, p.result(t, "unsafe").types)
		require.Empty(t, p.result(t, "example.com/m").errs)
	}
}

func TestTestsOnly(t *testing.T) {
	r := checked(t, files{"m_test.go": "package m\n", "a/a.go": "package a\n"})
	require.Empty(t, r.errs)
	require.NotNil(t, r.types)
}

func TestErrorsAreSortedAndOneLineEach(t *testing.T) {
	r := checked(t, files{
		"a.go": "package m\n\nimport \"unsafe\"\n\nvar A string = 1\n\ntype I interface{ M() }\n\nvar _ I = 3\n",
		"b.go": "package m\n\nvar A string = B\n",
	})
	require.IsNonDecreasing(t, r.errs)
	for _, e := range r.errs {
		require.Regexp(t, `^[ab]\.go:\d+:\d+: [^\n]+$`, e)
	}
	require.GreaterOrEqual(t, len(r.errs), 5, "%q", r.errs)
}

func TestFailureText(t *testing.T) {
	require.EqualError(t, &failure{errs: []string{"a.go:1:1: oh"}}, "a.go:1:1: oh")
	require.EqualError(t, &failure{errs: []string{"a.go:1:1: oh", "b", "c"}},
		"a.go:1:1: oh (and 2 more)")
}

func TestImporterKnowsOnlyImports(t *testing.T) {
	p := newPass(t.Context(), loaded(t, module(t, sound)))
	require.NoError(t, runSerial(p))
	base := p.result(t, "example.com/m/base")
	for i := range p.g.pkgs {
		pk := &p.g.pkgs[i]
		got, err := importer{p, pk}.Import("example.com/m/base")
		if _, ok := pk.named["example.com/m/base"]; ok {
			require.NoError(t, err)
			require.Same(t, base.types, got)
		} else {
			require.ErrorContains(t, err, "not among the imports", pk.path)
		}
	}
}
