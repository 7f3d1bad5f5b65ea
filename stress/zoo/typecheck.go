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
	var builds []build // of each specimen
	edited := map[build][]string{}
	for _, s := range all {
		root, pkg, err := k.module("./" + path.Dir(s.file))
		if err != nil {
			return err
		}
		b := build{root, cmp.Or(s.tags, "modelcheck")}
		builds = append(builds, b)
		if !slices.Contains(edited[b], pkg) {
			edited[b] = append(edited[b], pkg)
		}
	}
	packages := map[build]map[string]*checked{}
	for b, names := range edited {
		var err error
		if packages[b], err = b.load(ctx, names); err != nil {
			return err
		}
	}
	var errs []error
	for i, s := range all {
		text, err := k.edit(s)
		if err == nil {
			c := packages[builds[i]][filepath.Dir(k.shipped(s))]
			err = c.with(path.Base(s.file), text)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.id(), err))
		}
	}
	return errors.Join(errs...)
}

// A build is how the packages of a module are built.
type build struct{ root, tags string }

// A checked is a package as it is, and what it imports.
type checked struct {
	path  string
	fset  *token.FileSet
	files map[string]*ast.File // by name
	from  types.Importer
}

// load reads packages of the module, by their folders, and has the go command compile what they
// import.
func (b build) load(ctx context.Context, names []string) (map[string]*checked, error) {
	args := []string{"list", "-deps", "-export", "-tags=" + b.tags,
		"-json=ImportPath,Dir,Export,GoFiles,DepOnly", "--"}
	cmd := cli.Process(ctx, "go", append(args, names...)...)
	cmd.Dir, cmd.Stderr = b.root, new(strings.Builder)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, cmd.Stderr)
	}
	packages, exports, fset := map[string]*checked{}, map[string]string{}, token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
			DepOnly                 bool
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("what go list prints: %w", err)
		}
		if exports[p.ImportPath] = p.Export; p.DepOnly {
			continue
		}
		c := &checked{p.ImportPath, fset, map[string]*ast.File{}, from}
		packages[p.Dir] = c
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
	config := types.Config{Importer: c.from}
	_, err = config.Check(c.path, c.fset, slices.Collect(maps.Values(files)), nil)
	return err
}
