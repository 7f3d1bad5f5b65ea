package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	gopath "path"
	"slices"
	"strings"
)

// entryDir has the type of what lies in the queues of a task graph.
const entryDir = "taskgraph/internal/entry"

// filesOfKind is how many files of the library may name one kind of entry. Whoever adds a kind, or
// changes what one means, looks at no more.
const filesOfKind = 3

// entryRule keeps what an entry is in one package, and what a kind of entries means in few files.
var entryRule = rule{
	name:  "few files know a kind of entries, and one package their bits",
	check: checkEntries,
	bad: []badTree{
		{"four files", entries(map[string]string{"a": "_ = entry.Fork", "b": "_ = entry.Fork",
			"c": "_ = entry.Fork", "d": "switch k { case entry.Fork: }"}),
			"entry.Fork: named in 4 files"},
		{"by another name", entries(map[string]string{"a": "_ = entry.Fork", "b": "_ = entry.Fork",
			"c": "_ = entry.Fork", "d": ". switch k { case Fork: }"}),
			"entry.Fork: named in 4 files"},
		{"shift", entries(map[string]string{"a": "_ = e >> 28"}),
			"taskgraph/a.go:5: >> of an Entry"},
		{"mask of what a call returns", entries(map[string]string{"a": "_ = newest()&15 == 1"}),
			"taskgraph/a.go:5: & of an Entry"},
		{"distance", entries(map[string]string{"a": "_ = e - 1"}),
			"taskgraph/a.go:5: - of an Entry"},
		{"order", entries(map[string]string{"a": "_ = e < 1"}), "taskgraph/a.go:5: < of an Entry"},
		{"complement", entries(map[string]string{"a": "_ = ^e"}),
			"taskgraph/a.go:5: ^ of an Entry"},
		{"in place", entries(map[string]string{"a": "e |= 1"}), "taskgraph/a.go:5: |= of an Entry"},
		{"step", entries(map[string]string{"a": "e++"}), "taskgraph/a.go:5: ++ of an Entry"},
		{"conversion from one", entries(map[string]string{"a": "_ = uint32(e)"}),
			"taskgraph/a.go:5: conversion of an Entry"},
		{"conversion to one", entries(map[string]string{"a": "_ = entry.Entry(7)"}),
			"taskgraph/a.go:5: conversion of an Entry"},
	},
}

// entries returns a tree in which package taskgraph has a file for each of the given statements,
// which may use an entry e and a kind k. A point before one imports package entry by dot.
func entries(files map[string]string) map[string]string {
	tree := map[string]string{
		entryDir + "/doc.go": "// Package entry is.\npackage entry\n",
		entryDir +
			"/entry.go": "package entry\n\n// An Entry is.\ntype Entry uint32\n\n// A Kind is.\ntype Kind uint8\n\n// The kinds.\nconst (\n\tTask Kind = iota\n\tFork\n)\n\nfunc (e Entry) kind() Kind { return Kind(e >> 28) }\n",
		"taskgraph/newest.go": "package taskgraph\n\nimport \"" + modulePath + "/" + entryDir +
			"\"\n\nfunc newest() entry.Entry { return 0 }\n",
	}
	for name, statement := range files {
		imported, of := "", "entry."
		if rest, dot := strings.CutPrefix(statement, "."); dot {
			statement, imported, of = rest, ". ", ""
		}
		tree["taskgraph/"+name+".go"] = fmt.Sprintf(
			"package taskgraph\n\nimport %s%q\n\nfunc %s(e %sEntry, k %sKind) { %s }\n", imported,
			modulePath+"/"+entryDir, name, of, of, statement)
	}
	return tree
}

func checkEntries(t *tree) (findings []string) {
	if t.pkgs[entryDir] == nil {
		return nil
	}
	c := &typeCheck{t: t, done: map[string]*types.Package{}}
	entries := c.load(entryDir, nil)
	entry := entries.Scope().Lookup("Entry").Type()
	is := func(info *types.Info, e ast.Expr) bool { return info.Types[e].Type == entry }
	named := map[string]map[string]bool{}
	for _, p := range t.packages() {
		if p.dir == entryDir || !slices.ContainsFunc(p.files,
			func(s *source) bool { return s.localName(entries.Path()) != "" }) {
			continue
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{},
			Uses: map[*ast.Ident]types.Object{}}
		c.load(p.dir, info)
		for id, of := range info.Uses {
			k, ok := of.(*types.Const)
			if !ok || k.Pkg() != entries || k.Type() != entries.Scope().Lookup("Kind").Type() {
				continue
			}
			if named[k.Name()] == nil {
				named[k.Name()] = map[string]bool{}
			}
			named[k.Name()][t.fset.Position(id.Pos()).Filename] = true
		}
		for _, s := range p.files {
			ast.Inspect(s.file, func(n ast.Node) bool {
				what := ""
				switch n := n.(type) {
				case *ast.BinaryExpr:
					if n.Op != token.EQL && n.Op != token.NEQ && (is(info, n.X) || is(info, n.Y)) {
						what = n.Op.String()
					}
				case *ast.UnaryExpr:
					if n.Op != token.AND && is(info, n.X) {
						what = n.Op.String()
					}
				case *ast.IncDecStmt:
					if is(info, n.X) {
						what = n.Tok.String()
					}
				case *ast.AssignStmt:
					if n.Tok != token.ASSIGN && n.Tok != token.DEFINE && is(info, n.Lhs[0]) {
						what = n.Tok.String()
					}
				case *ast.CallExpr:
					if info.Types[n.Fun].IsType() &&
						(is(info, n.Fun) || len(n.Args) == 1 && is(info, n.Args[0])) {
						what = "conversion"
					}
				}
				if what != "" {
					findings = append(findings,
						fmt.Sprintf("%s: %s of an Entry: %s alone knows its bits; use or add a "+
							"method there", t.at(n.Pos()), what, entryDir))
				}
				return true
			})
		}
	}
	for _, kind := range sortedKeys(named) {
		if files := named[kind]; len(files) > filesOfKind {
			findings = append(findings,
				fmt.Sprintf("entry.%s: named in %d files (%s), and %d may: let one of them make "+
					"such entries, and say which one an entry is", kind, len(files),
					strings.Join(sortedKeys(files), ", "), filesOfKind))
		}
	}
	return findings
}

// A typeCheck finds the types of expressions, as far as they come from packages of the tree: those
// of others are unknown, and no error.
type typeCheck struct {
	t    *tree
	done map[string]*types.Package
}

// Import implements types.Importer.
func (c *typeCheck) Import(path string) (*types.Package, error) {
	if dir, ok := strings.CutPrefix(path, modulePath+"/"); ok && c.t.pkgs[dir] != nil {
		return c.load(dir, nil), nil
	}
	p := types.NewPackage(path, gopath.Base(path))
	p.MarkComplete()
	return p, nil
}

// load checks the ordinary files of a folder, whatever their tags, and notes what is in them if
// info is not nil.
func (c *typeCheck) load(dir string, info *types.Info) *types.Package {
	path := modulePath + "/" + dir
	if p := c.done[path]; p != nil && info == nil {
		return p
	}
	var files []*ast.File
	for _, s := range c.t.pkgs[dir].files {
		files = append(files, s.file)
	}
	conf := types.Config{Importer: c, Error: func(error) {}, IgnoreFuncBodies: info == nil}
	p, _ := conf.Check(path, c.t.fset, files, info)
	if info == nil {
		c.done[path] = p
	}
	return p
}
