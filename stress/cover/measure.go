package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/stress/internal/shipped"
)

// library returns the import paths of what ships.
func library(ctx context.Context, root string) (paths []string, err error) {
	dirs, err := shipped.Packages(ctx, root)
	for _, dir := range dirs {
		paths = append(paths, shipped.Module+"/"+dir)
	}
	return paths, err
}

// output runs a program and returns what it prints.
func output(ctx context.Context, dir string, env []string, name string,
	args ...string) (string, error) {
	cmd := cli.Process(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) {
		err = fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out,
			stderr.Bytes())
	}
	return string(out), err
}

// measure makes the steps that are asked for.
func measure(ctx context.Context, root string, o options, call *cli.Call) error {
	if len(o.steps) == 0 {
		return nil
	}
	if err := os.MkdirAll(o.dir, 0o777); err != nil {
		return err
	}
	paths, err := library(ctx, root)
	if err != nil {
		return err
	}
	for _, step := range o.steps {
		call.Progress.Show(step)
		switch step {
		case stepTests:
			err = tests(ctx, root, o.dir, paths)
		case stepModels:
			err = models(ctx, root, paths, o, call)
		case stepSoak:
			err = soak(ctx, root, profileOf(o.dir, step), paths, o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tests runs the tests of all packages, and those of faults, in which the counters of all are.
func tests(ctx context.Context, root, dir string, library []string) error {
	err := test(ctx, root, profileOf(dir, stepTests), library, library, nil)
	if err != nil {
		return err
	}
	return test(ctx, root, profileOf(dir, faults), library,
		[]string{shipped.Module + "/stress/faults"}, nil, "-tags=heddle_faults")
}

// modeled returns the folders of the library's packages that have models: "lockfree".
func modeled(ctx context.Context, root string) (dirs []string, err error) {
	all, err := shipped.Packages(ctx, root)
	for _, dir := range all {
		tests, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*_model_test.go"))
		if len(tests) > 0 {
			dirs = append(dirs, dir)
		}
	}
	return dirs, err
}

// models runs the models of the packages that are asked for, one package after the other, so that
// what is interrupted goes on with -run.
func models(ctx context.Context, root string, library []string, o options, call *cli.Call) error {
	dirs, err := modeled(ctx, root)
	if err != nil {
		return err
	}
	if o.only != nil {
		dirs = slices.DeleteFunc(dirs, func(dir string) bool { return !o.only.MatchString(dir) })
	}
	if len(dirs) == 0 {
		return errors.New("no package with models has a name that -run matches")
	}
	env := []string{"GOMAXPROCS=1", "MODELCHECK_PROGRAMS=20",
		fmt.Sprint("MODELCHECK_EXECUTIONS=", o.executions),
		fmt.Sprint("MODELCHECK_SEED=", o.seed)}
	for _, dir := range dirs {
		call.Progress.Show(stepModels + " of " + dir)
		err := test(ctx, root, modelsOf(o.dir, dir), library, []string{shipped.Module + "/" + dir},
			env, "-tags=modelcheck", "-run=^TestModel")
		if err != nil {
			return err
		}
	}
	return nil
}

// test runs tests of packages, in which the counters of the library are.
func test(ctx context.Context, root, profile string, library, packages, env []string,
	flags ...string) error {
	part := profile + ".part"
	defer os.Remove(part)
	args := append([]string{"test", "-vet=off", "-count=1", "-cover", "-covermode=set",
		"-coverpkg=" + strings.Join(library, ","), "-coverprofile=" + part}, flags...)
	if _, err := output(ctx, root, env, "go", append(args, packages...)...); err != nil {
		return err
	}
	return os.Rename(part, profile)
}

// soak runs the soak, whose children leave their counters in a folder.
func soak(ctx context.Context, root, profile string, paths []string, o options) (err error) {
	temp, err := os.MkdirTemp("", "cover")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	binary, counts := filepath.Join(temp, "soak.exe"), filepath.Join(temp, "counts")
	if err := os.Mkdir(counts, 0o777); err != nil {
		return err
	}
	// A program in whose main package no counters are writes none down.
	counted := strings.Join(append(paths[:len(paths):len(paths)], shipped.Module+"/stress/soak"),
		",")
	if _, err := output(ctx, root, nil, "go", "build", "-cover", "-covermode=set",
		"-coverpkg="+counted, "-o", binary, "./stress/soak"); err != nil {
		return err
	}
	if _, err := output(ctx, root, []string{"GOCOVERDIR=" + counts}, binary,
		"-for", o.soak.String(), "-seed", fmt.Sprint(o.seed)); err != nil {
		return err
	}
	part := profile + ".part"
	defer os.Remove(part)
	if _, err := output(ctx, root, nil, "go", "tool", "covdata", "textfmt", "-i="+counts,
		"-o="+part); err != nil {
		return err
	}
	if info, err := os.Stat(part); err != nil || info.Size() == 0 {
		return errors.Join(errors.New("the soak left no counters"), err)
	}
	return os.Rename(part, profile)
}
