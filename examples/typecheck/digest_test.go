package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDigestSeesTheAPI(t *testing.T) {
	digest := func(src string) string {
		return passed(t, loaded(t, module(t, files{"m.go": "package m\n\n" + src})),
			runners[0]).digest()
	}
	const base = "const C = 1\n\ntype T struct{ u }\n\ntype u struct{}\n\nfunc (u) M() {}\n\nvar V int\n\nfunc F(a int) {}\n"
	was := digest(base)
	require.Equal(t, was, digest(base), "the place of the module is not in it")
	require.Equal(t, was, digest(base+"\nfunc f() {}\n\nconst c = 2\n"),
		"only what is exported counts")

	seen := map[string]string{was: base}
	for _, src := range []string{
		"const C = 2\n\ntype T struct{ u }\n\ntype u struct{}\n\nfunc (u) M() {}\n\nvar V int\n\nfunc F(a int) {}\n",
		"const C = 1\n\ntype T struct{ u }\n\ntype u struct{}\n\nfunc (u) M() int { return 0 }\n\nvar V int\n\nfunc F(a int) {}\n",
		"const C = 1\n\ntype T struct{ u }\n\ntype u struct{}\n\nfunc (*u) M() {}\n\nvar V uint\n\nfunc F(a int) {}\n",
		"const C = 1\n\ntype T struct{ u }\n\ntype u struct{}\n\nfunc (u) M() {}\n\nvar V int\n\nfunc F(a ...int) {}\n",
		base + "\nfunc g() int {}\n",
		base + "\ntype G[P interface{ ~int | ~string }] struct{ F P }\n",
		base + "\ntype G[P interface{ ~int }] struct{ F P }\n",
	} {
		d := digest(src)
		require.Empty(t, seen[d], "same digest as another:\n%s", src)
		seen[d] = src
	}
}
