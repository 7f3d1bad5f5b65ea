package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/types"
	"io"
	"slices"
	"strings"
)

// digest sums up what a pass found: of every package, in the order of their paths, the
// exported API and the errors. Two passes agree if their digests do. Of a skipped package
// only the fact counts: with two failed imports either may be named as the cause.
func (p *pass) digest() string {
	order := make([]int, len(p.g.pkgs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return strings.Compare(p.g.pkgs[a].path, p.g.pkgs[b].path)
	})
	sum := sha256.New()
	w := bufio.NewWriter(sum)
	for _, i := range order {
		r := &p.results[i]
		fmt.Fprintf(w, "package %s\n", p.g.pkgs[i].path)
		switch {
		case r.failure != nil:
			fmt.Fprintln(w, "failed")
		case r.cause != nil:
			fmt.Fprintln(w, "skipped")
		case r.types == nil:
			fmt.Fprintln(w, "not checked")
		default:
			writeAPI(w, r.types)
		}
		for _, e := range r.errs {
			fmt.Fprintf(w, "error %s\n", e)
		}
	}
	w.Flush()
	return hex.EncodeToString(sum.Sum(nil))
}

// writeAPI writes every exported object of a package in the order of their names, with
// the values of constants and the method sets of types.
func writeAPI(w io.Writer, pkg *types.Package) {
	fmt.Fprintf(w, "name %s\n", pkg.Name())
	scope := pkg.Scope()
	for _, name := range scope.Names() { // sorted
		obj := scope.Lookup(name)
		if !obj.Exported() {
			continue
		}
		fmt.Fprintln(w, types.ObjectString(obj, nil))
		switch obj := obj.(type) {
		case *types.Const:
			fmt.Fprintf(w, "\t= %s\n", obj.Val().ExactString())
		case *types.TypeName:
			if !obj.IsAlias() {
				writeMethods(w, obj.Type())
			}
		}
	}
}

// writeMethods writes the method set of *T, which contains that of T, or of T itself if
// it is an interface. Promoted methods are in it; unexported ones are left out.
func writeMethods(w io.Writer, t types.Type) {
	if !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	set := types.NewMethodSet(t) // sorted
	for i := range set.Len() {
		if m := set.At(i); m.Obj().Exported() {
			fmt.Fprintf(w, "\t%s\n", types.SelectionString(m, nil))
		}
	}
}
