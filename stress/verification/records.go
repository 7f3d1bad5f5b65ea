package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A stamp says when a record was made, and of what.
type stamp struct {
	Date   string `json:"date"`
	Commit string `json:"commit"` // with a + if code was changed and not committed
	Go     string `json:"go"`
	Port   string `json:"port"`
}

// stampOf is the stamp of now and of this tree.
func stampOf(ctx context.Context, root string) (stamp, error) {
	git := func(args ...string) (string, error) {
		cmd := cli.Process(ctx, "git", args...)
		cmd.Dir = root
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	s := stamp{time.Now().UTC().Format(time.DateOnly), "unknown", runtime.Version(),
		runtime.GOOS + "/" + runtime.GOARCH}
	commit, err := git("rev-parse", "--short=9", "HEAD")
	if err != nil {
		if missing := (*exec.Error)(nil); errors.As(err, &missing) {
			return s, nil // a record without a commit is better than none
		}
		return s, fmt.Errorf("git rev-parse: %w", err)
	}
	changed, err := git("status", "--porcelain", "--", "*.go", "*.mod")
	if changed != "" {
		commit += "+"
	}
	s.Commit = commit
	return s, err
}

// A modelRecord is what the models of one structure, or one scene, explored last.
type modelRecord struct {
	Package    string `json:"package"`
	Suite      string `json:"suite"`
	Test       string `json:"test"`
	Race       bool   `json:"race"`
	Programs   int64  `json:"programs"`
	Executions int64  `json:"executions"`
	Complete   int64  `json:"complete"`
	Bound      int64  `json:"bound"` // preemptions; -1: none, allOrders or more: all
	Seed       uint64 `json:"seed"`
	stamp
}

// allOrders is at most what a model says that explored every order: the largest int of the machine.
const allOrders = math.MaxInt32

// A longRecord is a long exploration of all models.
type longRecord struct {
	Settings   string  `json:"settings"`
	First      uint64  `json:"first_seed"`
	Last       uint64  `json:"last_seed"`
	Executions int64   `json:"executions"`
	Programs   int64   `json:"programs"`
	Complete   int64   `json:"complete"`
	Failures   int64   `json:"failures"`
	Seconds    float64 `json:"seconds"`
	Note       string  `json:"note,omitempty"` // what failed, and what came of it: written by hand
	stamp
}

// A zooRecord is the last verdict on a specimen.
type zooRecord struct {
	Name      string `json:"name"`
	Package   string `json:"package"`
	File      string `json:"file"`
	Test      string `json:"test"`
	Good      bool   `json:"good"`
	By        string `json:"by,omitempty"`
	Execution uint64 `json:"execution,omitempty"`
	Ordinary  string `json:"ordinary,omitempty"` // why it stays though the ordinary tests find it
	stamp
	Native *nativeRecord `json:"native,omitempty"`
}

// A nativeRecord says how often the ordinary tests, on real threads, have passed with a specimen in
// the code: in the last run that tried this.
type nativeRecord struct {
	Passed int  `json:"passed"` // 0: they found it
	Short  bool `json:"short,omitempty"`
	stamp
}

// A coverRecord is how many statements of a file ran.
type coverRecord struct {
	Name       string   `json:"name"`
	Steps      []string `json:"steps"`
	Statements int      `json:"statements"`
	Tests      int      `json:"tests"`
	Models     int      `json:"models"`
	Soak       int      `json:"soak"`
	Together   int      `json:"together"`
	stamp
}

// A soakRecord is one soak, in however many pieces.
type soakRecord struct {
	Settings  string           `json:"settings"`
	First     uint64           `json:"first_seed"`
	Rounds    uint64           `json:"rounds"`
	Ops       int64            `json:"ops"`
	Failures  int              `json:"failures"`
	Seconds   float64          `json:"seconds"`
	Workloads map[string]int64 `json:"workloads"`
	stamp
}

// A passedRecord is a command that passed.
type passedRecord struct {
	What string `json:"what"`
	stamp
}

// records are all that is kept, a file each.
type records struct {
	models  []modelRecord
	long    []longRecord
	zoo     []zooRecord
	mutants []mutantsRecord
	cover   []coverRecord
	soak    []soakRecord
	passed  []passedRecord
}

// files are the names of the records and where they belong.
func (r *records) files() map[string]any {
	return map[string]any{"models.json": &r.models, "long.json": &r.long, "zoo.json": &r.zoo,
		"mutants.json": &r.mutants, "cover.json": &r.cover, "soak.json": &r.soak,
		"passed.json": &r.passed}
}

// readRecords reads the records; what is not there is empty.
func readRecords(fsys fs.FS) (*records, error) {
	r := new(records)
	for name, into := range r.files() {
		text, err := fs.ReadFile(fsys, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = strict(text, into)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return r, nil
}

// strict reads JSON that has no other keys than those that are known.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// write writes the records in the order of their names, so that a change shows as itself.
func (r *records) write(dir string) error {
	slices.SortFunc(r.models, func(a, b modelRecord) int { return cmp.Compare(a.key(), b.key()) })
	slices.SortFunc(r.zoo, func(a, b zooRecord) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(r.mutants, func(a, b mutantsRecord) int { return cmp.Compare(a.File, b.File) })
	slices.SortFunc(r.cover, func(a, b coverRecord) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(r.passed, func(a, b passedRecord) int { return cmp.Compare(a.key(), b.key()) })
	for name, from := range r.files() {
		err := cli.WriteFile("records", filepath.Join(dir, name), func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetEscapeHTML(false)
			e.SetIndent("", "\t")
			return e.Encode(from)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// put replaces the record of the same key, or adds one.
func put[R any](all []R, one R, same func(a, b R) bool) []R {
	if i := slices.IndexFunc(all, func(r R) bool { return same(r, one) }); i >= 0 {
		all[i] = one
		return all
	}
	return append(all, one)
}

func (m modelRecord) key() string { return fmt.Sprint(m.Package, "\x00", m.Suite, "\x00", m.Race) }

func (p passedRecord) key() string { return p.What + "\x00" + p.Port + "\x00" + p.Go }

// errFailures is why a run that failed is not recorded.
var errFailures = errors.New("the run failed: mend that first")

// A modelSum is what stress/model prints as JSON, as far as it counts here.
type modelSum struct {
	Executions int64   `json:"executions"`
	Programs   int64   `json:"programs"`
	Complete   int64   `json:"complete"`
	Failures   int64   `json:"failures"`
	Seconds    float64 `json:"seconds"`
	Race       bool    `json:"race"`
	First      uint64  `json:"first_seed"`
	Last       uint64  `json:"last_seed"`
	Suites     []modelRecord
}

func (r *records) addModels(text []byte, now stamp) error {
	var sum modelSum
	switch err := json.Unmarshal(text, &sum); {
	case err != nil:
		return err
	case sum.Failures > 0:
		return errFailures
	case len(sum.Suites) == 0:
		return errors.New("no model was explored")
	}
	for _, m := range sum.Suites {
		m.Race, m.Seed, m.stamp = sum.Race, sum.First, now
		r.models = put(r.models, m, func(a, b modelRecord) bool { return a.key() == b.key() })
	}
	return nil
}

func (r *records) addLong(text []byte, now stamp) error {
	var state struct {
		Settings string   `json:"settings"`
		Sum      modelSum `json:"sum"`
	}
	switch err := json.Unmarshal(text, &state); {
	case err != nil:
		return err
	case state.Sum.Executions == 0:
		return errors.New("nothing was explored")
	}
	s := state.Sum
	r.long = put(r.long, longRecord{state.Settings, s.First, s.Last, s.Executions, s.Programs,
		s.Complete, s.Failures, s.Seconds, "", now}, func(a, b longRecord) bool {
		return a.Settings == b.Settings && a.First == b.First && a.Executions <= b.Executions
	})
	return nil
}

func (r *records) addZoo(text []byte, now stamp) error {
	var sum struct {
		Native    bool
		Count     int
		Short     bool
		Specimens []zooRecord
	}
	switch err := json.Unmarshal(text, &sum); {
	case err != nil:
		return err
	case len(sum.Specimens) == 0:
		return errors.New("no specimen was judged")
	}
	for _, z := range sum.Specimens {
		at := slices.IndexFunc(r.zoo, func(known zooRecord) bool { return known.Name == z.Name })
		switch {
		case sum.Native && at < 0:
			return fmt.Errorf("%s was not judged by the model checker", z.Name)
		case sum.Native:
			r.zoo[at].Native = &nativeRecord{Short: sum.Short, stamp: now}
			r.zoo[at].Ordinary = z.Ordinary
			if z.Good && z.Ordinary == "" {
				r.zoo[at].Native.Passed = sum.Count
			}
			continue
		case at >= 0:
			z.Native = r.zoo[at].Native
		}
		z.stamp = now
		r.zoo = put(r.zoo, z, func(a, b zooRecord) bool { return a.Name == b.Name })
	}
	return nil
}

// addCover replaces the record of all files: they are of one measurement.
func (r *records) addCover(text []byte, now stamp) error {
	var sum struct {
		Steps []string
		Files []coverRecord
	}
	switch err := json.Unmarshal(text, &sum); {
	case err != nil:
		return err
	case len(sum.Files) == 0:
		return errors.New("no file was measured")
	}
	r.cover = nil
	for _, c := range sum.Files {
		c.Steps, c.stamp = sum.Steps, now
		r.cover = append(r.cover, c)
	}
	return nil
}

func (r *records) addSoak(text []byte, now stamp) error {
	var state struct {
		Settings string `json:"settings"`
		First    uint64 `json:"first_seed"`
		Sum      struct {
			Ops       int64
			Failures  int
			Rounds    uint64
			Seconds   float64
			Workloads map[string]int64
		} `json:"sum"`
	}
	switch err := json.Unmarshal(text, &state); {
	case err != nil:
		return err
	case state.Sum.Ops == 0:
		return errors.New("nothing was done")
	}
	s := state.Sum
	r.soak = put(r.soak, soakRecord{state.Settings, state.First, s.Rounds, s.Ops, s.Failures,
		s.Seconds, s.Workloads, now}, func(a, b soakRecord) bool {
		return a.Settings == b.Settings && a.First == b.First && a.Ops <= b.Ops
	})
	return nil
}

func (r *records) addPassed(what string, now stamp) {
	one := passedRecord{what, now}
	r.passed = put(r.passed, one, func(a, b passedRecord) bool { return a.key() == b.key() })
}
