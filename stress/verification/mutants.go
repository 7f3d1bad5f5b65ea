package main

import (
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
)

// A mutantsRecord is what is known of the small edits of a file: of some of those that were judged
// their names and what became of each, of the others only how many there are of each kind.
type mutantsRecord struct {
	File      string            `json:"file"`
	Edits     int               `json:"edits"`
	Judged    int               `json:"judged"`
	Valid     int               `json:"valid"`
	Tests     int               `json:"tests"`
	Models    int               `json:"models"`
	Accepted  []string          `json:"accepted,omitempty"`
	Survivors []string          `json:"survivors,omitempty"`
	Others    map[string]string `json:"others,omitempty"` // with a name, and by what it was found
	stamp
}

// addMutants adds what became of the edits that were judged, each by its name. Of the files in the
// same folders it drops those of which there is no edit any more.
func (r *records) addMutants(text []byte, now stamp) error {
	var sum struct {
		Files []struct {
			mutantsRecord
			IDs []string
		}
	}
	switch err := json.Unmarshal(text, &sum); {
	case err != nil:
		return err
	case len(sum.Files) == 0:
		return errors.New("no file has edits")
	}
	files, folders := make(map[string]bool), make(map[string]bool)
	for _, m := range sum.Files {
		files[m.File], folders[path.Dir(m.File)] = true, true
		same := func(a, b mutantsRecord) bool { return a.File == b.File }
		at := slices.IndexFunc(r.mutants,
			func(x mutantsRecord) bool { return same(x, m.mutantsRecord) })
		known := mutantsRecord{stamp: now}
		if at >= 0 {
			known = r.mutants[at]
		}
		r.mutants = put(r.mutants, known.with(m.mutantsRecord, m.IDs, now), same)
	}
	r.mutants = slices.DeleteFunc(r.mutants, func(m mutantsRecord) bool {
		return folders[path.Dir(m.File)] && !files[m.File]
	})
	return nil
}

// with is the record m with what is new in n, of the edits that there are now. An edit that m does
// not name may be one of those that it only counts. So these are dropped if n names such an edit.
func (m mutantsRecord) with(n mutantsRecord, edits []string, now stamp) mutantsRecord {
	named, judged := m.verdicts(), n.verdicts()
	rest := m
	for id, verdict := range named {
		rest.count(id, verdict, -1)
	}
	for id := range judged {
		if named[id] == "" {
			rest = mutantsRecord{}
		}
	}
	maps.Copy(named, judged)
	sum := mutantsRecord{File: n.File, Edits: n.Edits, Judged: rest.Judged, Valid: rest.Valid,
		Tests: rest.Tests, Models: rest.Models, stamp: m.stamp}
	if len(judged) > 0 {
		sum.stamp = now
	}
	for _, id := range slices.Sorted(maps.Keys(named)) {
		if slices.Contains(edits, id) {
			sum.count(id, named[id], 1)
		}
	}
	return sum
}

// verdicts says what became of the edits whose names are known.
func (m *mutantsRecord) verdicts() map[string]string {
	named := make(map[string]string)
	maps.Copy(named, m.Others)
	for _, id := range m.Accepted {
		named[id] = "accepted"
	}
	for _, id := range m.Survivors {
		named[id] = "survived"
	}
	return named
}

// count counts an edit with a name by 1, or takes its count back by -1.
func (m *mutantsRecord) count(id, verdict string, by int) {
	m.Judged += by
	if verdict != "same" && verdict != "invalid" {
		m.Valid += by
	}
	switch verdict {
	case "tests":
		m.Tests += by
	case "models":
		m.Models += by
	}
	switch {
	case by < 0:
	case verdict == "accepted":
		m.Accepted = append(m.Accepted, id)
	case verdict == "survived":
		m.Survivors = append(m.Survivors, id)
	default:
		if m.Others == nil {
			m.Others = make(map[string]string)
		}
		m.Others[id] = verdict
	}
}
