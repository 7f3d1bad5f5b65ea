package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/assets/pipes"
	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A verifyReport is what verify prints.
type verifyReport struct {
	Resources int       `json:"resources"`
	Files     int       `json:"files"` // with variants
	Findings  []finding `json:"findings"`
}

// A finding is something that is wrong.
type finding struct {
	Kind string `json:"kind"` // one of those below
	ID   string `json:"id"`
	What string `json:"what"`
}

// The kinds of findings.
const (
	kindHash    = "hash"    // the bytes are not those that were indexed
	kindMissing = "missing" // the file is gone
	kindDamaged = "damaged" // it cannot be loaded
	kindNew     = "new"     // a file that is not indexed
	kindRef     = "ref"     // it refers to what is not indexed
	kindCycle   = "cycle"   // it depends on itself, by what it refers to
	kindOrphan  = "orphan"  // no root leads to it
)

// verifier is the command verify.
func verifier() *cli.Command {
	var registry string
	var workers int
	var roots *regexp.Regexp
	rep := verifyReport{Findings: []finding{}} // none is a list too
	return &cli.Command{
		Name: "assets verify", Arg: "DIR",
		About: "Compares a directory with its registry. What is wrong is a line each: a hash that\n" +
			"differs, a file that is missing, damaged or new, a reference to what is not there, a\n" +
			"cycle, an orphan. The exit status is 1 then.",
		Flags: func(fs *flag.FlagSet) {
			registryFlag(fs, &registry)
			workersFlag(fs, &workers)
			cli.RegexpVar(fs, &roots, "roots", "what matches `REGEXP` is asked for by name; what "+
				"none of that leads to is an orphan; default: nothing is")
		},
		Work: func(ctx context.Context, call *cli.Call) error {
			if err := checkWorkers(call, workers); err != nil {
				return err
			}
			if err := verify(ctx, call, registry, workers, roots, &rep); err != nil {
				return err
			}
			if !call.JSON {
				for _, f := range rep.Findings {
					fmt.Fprintf(call.Text, "%-8s %s: %s\n", f.Kind, f.ID, f.What)
				}
				fmt.Fprintf(call.Text, "%d resources in %d files, %d findings\n", rep.Resources,
					rep.Files, len(rep.Findings))
			}
			if len(rep.Findings) > 0 {
				return cli.ErrFailed
			}
			return nil
		},
		JSON: func() any { return &rep },
	}
}

// verify looks at a directory and fills the report.
func verify(ctx context.Context, call *cli.Call, file string, workers int, roots *regexp.Regexp,
	rep *verifyReport) (err error) {
	t, err := openTree(call.Arg, file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	infos, err := t.indexed()
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not there: index comes first", t.registry)
	} else if err != nil {
		return err
	}
	files, err := scan(t.files.FS())
	if err != nil {
		return fmt.Errorf("%s: %w", t.dir, err)
	}
	all := unfold(infos)
	found, err := survey(ctx, call, t, all, workers, true)
	if err != nil {
		return err
	}
	rep.Resources, rep.Files = len(infos), len(all)
	indexed, known := map[string]bool{}, map[assets.ID]bool{}
	for _, info := range all {
		indexed[info.Path], known[info.ID] = true, true
	}
	for _, f := range files {
		if !indexed[f.Path] {
			rep.add(kindNew, f.ID, "is not indexed")
		}
	}
	for i := range found {
		rep.judge(&found[i], known)
	}
	if roots != nil {
		rep.orphans(infos, found, roots)
	}
	slices.SortFunc(rep.Findings, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.What, b.What))
	})
	return nil
}

// unfold makes resources of their own of variants, as parts of those that they are of: so all files
// are looked at. Parts without bytes of their own are left out.
func unfold(infos []assets.Info) []assets.Info {
	var out []assets.Info
	for _, info := range infos {
		if info.Sub {
			continue
		}
		variants := info.Variants
		info.Variants = nil
		out = append(out, info)
		for _, v := range variants {
			part := info
			part.ID, part.GUID = info.ID+assets.ID("#"+v.Platform), assets.GUID{}
			part.Path, part.Hash, part.Format, part.Size = v.Path, v.Hash, v.Format, v.Size
			out = append(out, part)
		}
	}
	return out
}

func (rep *verifyReport) add(kind string, id assets.ID, what string) {
	rep.Findings = append(rep.Findings, finding{kind, string(id), what})
}

// judge says what is wrong with a resource, and not with what it depends on.
func (rep *verifyReport) judge(s *surveyed, known map[assets.ID]bool) {
	switch {
	case s.err == nil:
	case errors.Is(s.err, pipes.ErrHash):
		rep.add(kindHash, s.info.ID, oneLine(cause(s.err)))
	case errors.Is(s.err, fs.ErrNotExist):
		rep.add(kindMissing, s.info.ID, s.info.Path+" is not there")
	default:
		rep.add(kindDamaged, s.info.ID, oneLine(cause(s.err)))
	}
	for _, c := range s.children {
		if !known[c] {
			rep.add(kindRef, s.info.ID, fmt.Sprintf("refers to %s, which is not indexed", c))
		}
	}
	for _, c := range s.cut {
		rep.add(kindCycle, s.info.ID, fmt.Sprintf("refers to %s, which depends on it", c))
	}
}

// cause returns why a pipe failed.
func cause(err error) error {
	var e *assets.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// orphans adds what no root leads to.
func (rep *verifyReport) orphans(infos []assets.Info, found []surveyed, roots *regexp.Regexp) {
	leads := map[assets.ID][]assets.ID{}
	for _, s := range found {
		whole, _, _ := strings.Cut(string(s.info.ID), "#") // what a variant or a part is of
		leads[assets.ID(whole)] = append(leads[assets.ID(whole)], s.children...)
	}
	reached := map[assets.ID]bool{}
	var todo []assets.ID
	for _, info := range infos {
		if roots.MatchString(string(info.ID)) {
			reached[info.ID] = true
			todo = append(todo, info.ID)
		}
	}
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range leads[id] {
			if !reached[c] {
				reached[c] = true
				todo = append(todo, c)
			}
		}
	}
	for _, info := range infos {
		if !reached[info.ID] {
			rep.add(kindOrphan, info.ID, "no root leads to it")
		}
	}
}
