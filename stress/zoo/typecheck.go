package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// typecheck returns an error for each specimen whose edited package the compiler would refuse. So
// one that no longer builds is seen at once, and not when it is next drawn.
func (k *keeper) typecheck(ctx context.Context, all []*specimen) error {
	type part struct{ dir, tags string }
	of := map[part]*checked{}
	var errs []error
	for _, s := range all {
		p := part{path.Dir(s.file), cmp.Or(s.tags, "modelcheck")}
		if of[p] == nil {
			c, err := k.load(ctx, p.dir, p.tags)
			if err != nil {
				return err
			}
			of[p] = c
		}
		text, err := k.edit(s)
		if err == nil {
			err = of[p].with(path.Base(s.file), text)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.id(), err))
		}
	}
	return errors.Join(errs...)
}

// A checked is a package as it is, and what it imports.
type checked struct {
	path  string
	fset  *token.FileSet
	files map[string]*ast.File // by name
	from  types.Importer
}

// load reads the package of a folder, and has the go command compile what that imports.
func (k *keeper) load(ctx context.Context, dir, tags string) (*checked, error) {
	root, pkg, err := k.module("./" + dir)
	if err != nil {
		return nil, err
	}
	cmd := cli.Process(ctx, "go", "list", "-deps", "-export", "-tags="+tags,
		"-json=ImportPath,Dir,Export,GoFiles,DepOnly", pkg)
	cmd.Dir, cmd.Stderr = root, new(strings.Builder)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", dir, err, cmd.Stderr)
	}
	c := &checked{fset: token.NewFileSet(), files: map[string]*ast.File{}}
	exports := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			DepOnly                 bool
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: what go list prints: %w", dir, err)
		}
		if exports[p.ImportPath] = p.Export; p.DepOnly {
			continue
		}
		c.path = p.ImportPath
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			if c.files[name], err = c.parse(name, string(text)); err != nil {
				return nil, err
			}
		}
	}
	c.from = importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	return c, c.check(c.files)
}

func (c *checked) parse(name, text string) (*ast.File, error) {
	return parser.ParseFile(c.fset, name, text, parser.SkipObjectResolution)
}

// with checks the package with another text of a file.
func (c *checked) with(name, text string) error {
	f, err := c.parse(name, text)
	if err != nil {
		return err
	}
	if c.files[name] == nil {
		return fmt.Errorf("%s is not built with its tags", name)
	}
	files := maps.Clone(c.files)
	files[name] = f
	return c.check(files)
}

func (c *checked) check(files map[string]*ast.File) error {
	config := types.Config{Importer: c.from}
	_, err := config.Check(c.path, c.fset, slices.Collect(maps.Values(files)), nil)
	return err
}
