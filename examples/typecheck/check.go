package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"
)

// A pass is one run over the graph, by whichever runner.
type pass struct {
	ctx  context.Context // after its end nothing more is checked, and the results mean nothing
	g    *graph
	fset *token.FileSet // one for all: an error may name a place in another package

	// One result a package. It is written by whoever checks the package and read by the
	// importers' checks. Nothing here is atomic or locked: every runner lets an importer
	// start only after its imports are done, and that edge orders the two accesses.
	results []result
}

// A result is what became of one package.
type result struct {
	types   *types.Package // nil if the package failed or was skipped
	errs    []string       // syntax or type errors, sorted
	failure *failure       // set if there is nothing that an importer could use
	cause   *failure       // set if the package was skipped: the failure beneath it
}

// A failure is the outcome of a package that cannot be imported, because it could not be
// read, parsed or loaded. Importers are not checked: they could show only what follows
// from it. Errors found by the type checker are no failure in this sense: the package
// then still has an API, and its importers are checked against that.
type failure struct {
	path string
	errs []string
}

// Error gives the first error and how many follow.
func (f *failure) Error() string {
	if more := len(f.errs) - 1; more > 0 {
		return fmt.Sprintf("%s (and %d more)", f.errs[0], more)
	}
	return f.errs[0]
}

func newPass(ctx context.Context, g *graph) *pass {
	return &pass{ctx: ctx, g: g, fset: token.NewFileSet(), results: make([]result, len(g.pkgs))}
}

// check parses and type-checks package i, function bodies too. All its imports must be
// done and none of them failed. The error is a *failure or nil.
func (p *pass) check(i int) error {
	pk, r := &p.g.pkgs[i], &p.results[i]

	if err := p.ctx.Err(); err != nil {
		return p.fail(i, []string{err.Error()})
	}
	if pk.loadErr != "" {
		return p.fail(i, []string{pk.loadErr})
	}
	files, errs := p.parse(pk)
	if errs != nil {
		return p.fail(i, errs)
	}
	if pk.path == "unsafe" {
		r.types = types.Unsafe // its source is documentation
		return nil
	}
	conf := types.Config{
		GoVersion: pk.goVer,
		Importer:  importer{p, pk},
		Sizes:     p.g.sizes,
		Error: func(err error) {
			r.errs = append(r.errs, strings.ReplaceAll(err.Error(), "\n", " "))
		},
	}
	r.types, _ = conf.Check(pk.path, p.fset, files, nil) // every error went to conf.Error
	slices.Sort(r.errs)
	return nil
}

// parse reads the files of a package. The error list is empty if all is well.
func (p *pass) parse(pk *pkg) (files []*ast.File, errs []string) {
	for _, s := range pk.files {
		src, err := os.ReadFile(s.file)
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		f, err := parser.ParseFile(p.fset, s.name, src, parser.SkipObjectResolution)
		var list scanner.ErrorList
		switch {
		case errors.As(err, &list):
			for _, e := range list {
				errs = append(errs, e.Error())
			}
		case err != nil:
			errs = append(errs, err.Error())
		}
		files = append(files, f)
	}
	return files, errs
}

func (p *pass) fail(i int, errs []string) error {
	f := &failure{path: p.g.pkgs[i].path, errs: errs}
	p.results[i].errs, p.results[i].failure = errs, f
	return f
}

// blocked returns the failure that keeps package i from being checked, or nil: that of
// its first import, by number, that failed or was skipped.
func (p *pass) blocked(i int) *failure {
	for _, imp := range p.g.pkgs[i].imports {
		if r := &p.results[imp]; r.failure != nil {
			return r.failure
		} else if r.cause != nil {
			return r.cause
		}
	}
	return nil
}

// An importer hands the type checker the packages that were checked before.
type importer struct {
	p  *pass
	pk *pkg
}

// Import returns the package that the source calls path.
func (im importer) Import(path string) (*types.Package, error) {
	if i, ok := im.pk.named[path]; ok && im.p.results[i].types != nil {
		return im.p.results[i].types, nil
	}
	return nil, errors.New("not among the imports that the go command lists")
}
