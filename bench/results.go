package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// results are the figures of one run, as -keep writes and documents show them.
type results struct {
	Command string   `json:"command"`
	Machine string   `json:"machine"`
	Pairs   int      `json:"pairs"`
	Costs   []cost   `json:"costs"`
	Records []record `json:"records"`
}

// unknown is what a line leaves out: fields that are null or empty, none of which is the first.
var unknown = regexp.MustCompile(`,"[a-z0-9_]+":(null|"")`)

// keep writes the figures into a file, a line for each row, so that two versions compare well.
func (r *report) keep(file string) error {
	var lines []string
	list := func(name string, count int, at func(int) any) error {
		rows := make([]string, count)
		for i := range rows {
			text, err := json.Marshal(at(i))
			if err != nil {
				return err
			}
			rows[i] = "    " + unknown.ReplaceAllString(string(text), "")
		}
		lines = append(lines, fmt.Sprintf("  %q: [\n%s\n  ]", name, strings.Join(rows, ",\n")))
		return nil
	}
	for _, field := range []struct {
		name  string
		value any
	}{{"command", r.command}, {"machine", r.head()}, {"pairs", r.pairs}} {
		text, err := json.Marshal(field.value)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("  %q: %s", field.name, text))
	}
	if err := list("costs", len(r.costs), func(i int) any { return r.costs[i] }); err != nil {
		return err
	}
	records := r.records()
	if err := list("records", len(records), func(i int) any { return records[i] }); err != nil {
		return err
	}
	return cli.WriteFile("keep", file, func(w io.Writer) error {
		_, err := io.WriteString(w, "{\n"+strings.Join(lines, ",\n")+"\n}\n")
		return err
	})
}

// readResults reads what keep has written.
func readResults(file string) (results, error) {
	var r results
	text, err := os.ReadFile(filepath.Clean(file))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// workloads are the names of those whose name begins so, in their order.
func (r *results) workloads(prefixes ...string) (names []string) {
	seen := map[string]bool{}
	for _, rec := range r.Records {
		for _, prefix := range prefixes {
			if strings.HasPrefix(rec.Workload, prefix) && !seen[rec.Workload] {
				seen[rec.Workload] = true
				names = append(names, rec.Workload)
			}
		}
	}
	return names
}

// find returns a row that was measured, or an empty one. With 0 any number of workers will do.
func (r *results) find(workload, runtime string, workers int) record {
	for _, rec := range r.Records {
		if rec.Workload == workload && rec.Runtime == runtime &&
			(workers == 0 || rec.Workers == workers) {
			return rec
		}
	}
	return record{}
}

// best returns the fastest peer in a language, or an empty record. Loops without any runtime are no
// peers.
func (r *results) best(workload, lang string, workers int) (best record) {
	for _, rec := range r.Records {
		if rec.Workload != workload || rec.Lang != lang || rec.Workers != workers ||
			rec.Median == nil {
			continue
		}
		if (row{runtime: rec.Runtime}).isHeddle() || rec.Runtime == nobody ||
			strings.HasPrefix(rec.Runtime, "serial") {
			continue
		}
		if best.Median == nil || *rec.Median < *best.Median {
			best = rec
		}
	}
	return best
}
