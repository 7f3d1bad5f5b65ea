package main

import (
	"cmp"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/stress/internal/shipped"
)

// A protocol is a page of a library package: what it argues about, and what belongs to that.
//
//   - Files: the source files of the page's name; a README has those of its folder that no other
//     page has.
//   - Models: the model tests that the page names, and those of its name or in the test file of its
//     name; a README has those of its folder that no other page has.
//   - Soaked: the workloads of the soak that are about it.
type protocol struct {
	Page, Dir, Title string
	Claim            claim
	Files            []string // "lockfree/deque.go"
	Models           []model
	Soaked           []string
}

// A model is one model test.
type model struct{ pkg, test string }

// A found is what there is in the tree.
type found struct {
	protocols []*protocol
	models    []model
	specimens int // seeded bugs in the zoo
}

// soakedBy says which pages the workloads of the soak are about that have no page of their name.
var soakedBy = map[string]string{
	"windows": "lockfree/README.md", "signal": "sleepevent/README.md",
	"group": "sleepevent/README.md", "threads": "namedthread/README.md",
	"events": "graphevent/README.md", "mix": "taskgraph/README.md",
	"mixshutdown": "taskgraph/shutdown.md", "graph": "taskgraph/graph.md",
	"again": "taskgraph/graph.md", "fork": "taskgraph/fork.md", "spawn": "taskgraph/task.md",
	"loop": "taskgraph/loop.md", "launch": "taskgraph/shutdown.md",
}

var (
	modelName  = regexp.MustCompile(`\bTestModel\w+`)
	modelFunc  = regexp.MustCompile(`(?m)^func (TestModel\w*)\(\w+ \*testing\.T\)`)
	modelFiles = "_model_test.go"
)

// findProtocols reads the pages and the names of the model tests from a tree.
func findProtocols(fsys fs.FS) (*found, error) {
	f := &found{}
	sources := map[string][]string{} // of each folder
	inFile := map[string][]model{}   // by the test file
	texts := map[string]string{}     // of pages
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch dir := path.Dir(name); {
		case err != nil:
			return err
		case d.IsDir():
			base := path.Base(name)
			if name != "." && (!shipped.Is(name) || base == "testdata" || strings.HasPrefix(base,
				".") ||
				name == "bin") {
				return fs.SkipDir
			}
		case dir == ".":
		case path.Ext(name) == ".md":
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				return err
			}
			texts[name] = string(text)
		case strings.HasSuffix(name, modelFiles):
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				return err
			}
			for _, m := range modelFunc.FindAllStringSubmatch(string(text), -1) {
				inFile[name] = append(inFile[name], model{dir, m[1]})
				f.models = append(f.models, model{dir, m[1]})
			}
		case path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"):
			sources[dir] = append(sources[dir], name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for name, text := range texts {
		title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		f.protocols = append(f.protocols, &protocol{Page: name, Dir: path.Dir(name), Title: title,
			Claim: claimOf(name, text)})
	}
	for dir := range sources { // a package without a page has a row all the same
		if texts[dir+"/README.md"] == "" {
			f.protocols = append(f.protocols, &protocol{Dir: dir, Title: "no page"})
		}
	}
	slices.SortFunc(f.protocols, func(a, b *protocol) int {
		return cmp.Or(cmp.Compare(a.Dir, b.Dir), cmp.Compare(a.readme(), b.readme()),
			cmp.Compare(a.Page, b.Page))
	})
	f.share(sources, inFile, texts)
	specimens, err := fs.Glob(fsys, "stress/zoo/specimens/*/*.txt")
	f.specimens = len(specimens)
	return f, err
}

// readme is 0 for the README of a folder, or what stands for it, which comes first, and 1 for other
// pages.
func (p *protocol) readme() int {
	if p.Page == "" || path.Base(p.Page) == "README.md" {
		return 0
	}
	return 1
}

// share gives to each page what belongs to it.
func (f *found) share(sources map[string][]string, inFile map[string][]model,
	texts map[string]string) {
	taken := map[string]bool{}
	claimed := map[model]bool{}
	for _, p := range f.protocols {
		name := strings.TrimSuffix(p.Page, ".md")
		if p.readme() == 1 && slices.Contains(sources[p.Dir], name+".go") {
			p.Files = []string{name + ".go"}
			taken[name+".go"] = true
		}
		models := slices.Clone(inFile[name+modelFiles])
		if m := f.withName(p.Dir, path.Base(name)); m != nil {
			models = append(models, *m)
		}
		for _, test := range modelName.FindAllString(texts[p.Page], -1) {
			if m, ok := f.named(p.Dir, test); ok {
				models = append(models, m)
			}
		}
		slices.SortFunc(models, func(a, b model) int {
			return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.test, b.test))
		})
		p.Models = slices.Compact(models)
		for _, m := range p.Models {
			claimed[m] = claimed[m] || p.readme() == 1
		}
		if p.Dir == "lockfree" {
			p.Soaked = append(p.Soaked, path.Base(name))
		}
		for workload, page := range soakedBy {
			if page == p.Page {
				p.Soaked = append(p.Soaked, workload)
			}
		}
		slices.Sort(p.Soaked)
	}
	for _, p := range f.protocols {
		if p.readme() == 1 {
			continue
		}
		for _, file := range sources[p.Dir] {
			if !taken[file] {
				p.Files = append(p.Files, file)
			}
		}
		for _, m := range f.models {
			if m.pkg == p.Dir && !claimed[m] && !slices.Contains(p.Models, m) {
				p.Models = append(p.Models, m)
			}
		}
	}
}

// withName finds the model of a folder that is called as a page is: TestModelStack of stack.md.
func (f *found) withName(dir, name string) *model {
	for _, m := range f.models {
		if m.pkg == dir && strings.EqualFold(m.test, "TestModel"+name) {
			return &m
		}
	}
	return nil
}

// named finds the model that a page of a folder means: of its own package, or the only one of that
// name.
func (f *found) named(dir, test string) (found model, ok bool) {
	if own := (model{dir, test}); slices.Contains(f.models, own) {
		return own, true
	}
	for _, m := range f.models {
		if m.test == test {
			if ok {
				return model{}, false
			}
			found, ok = m, true
		}
	}
	return found, ok
}
