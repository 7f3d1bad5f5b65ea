package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A state is what a long exploration leaves in a file, so that the next call goes on where the last
// one ended, were it by a crash: what was explored, and which jobs of the present round are done. A
// nil state keeps nothing.
type state struct {
	file   string
	before float64 // seconds of earlier calls
	sum    *sum

	Settings string             `json:"settings"` // under which the jobs were divided
	Done     []string           `json:"done"`     // jobs of the round of the sum's last seed
	Tests    map[string]*habits `json:"tests"`
	Sum      *sum               `json:"sum"`
}

// habits are what is known of a test that has run.
type habits struct {
	Generated bool     `json:"generated"`
	Seconds   float64  `json:"seconds"`
	Suites    []string `json:"suites"`
	ByHand    []string `json:"by_hand"`
}

// settingsOf tells explorations apart whose jobs are not the same.
func settingsOf(o options) string {
	only := ""
	if o.only != nil {
		only = o.only.String()
	}
	return fmt.Sprintf("-executions %d -programs %d -race=%v -run %q in %d shares", o.executions,
		o.programs, o.race, only, shares(o.programs, o.p))
}

// openState reads the state that the options name, puts what was explored into sum and what is
// known of the tests into these. It returns nil if none is named.
func openState(o options, sum *sum, tests []*test) (*state, error) {
	if o.state == "" {
		return nil, nil
	}
	s := &state{file: o.state, sum: sum, Settings: settingsOf(o), Tests: map[string]*habits{}}
	text, err := os.ReadFile(o.state)
	if errors.Is(err, fs.ErrNotExist) {
		sum.First, sum.Last = o.seed, o.seed
		return s, s.save()
	}
	if err != nil {
		return nil, err
	}
	read := state{Sum: newSum()}
	switch err := json.Unmarshal(text, &read); {
	case err != nil || read.Sum == nil || read.Sum.First == 0:
		return nil, fmt.Errorf("-state: %s is none of this command", o.state)
	case read.Settings != s.Settings:
		return nil, fmt.Errorf("-state: %s is of %s, not of %s", o.state, read.Settings, s.Settings)
	}
	s.Done, s.before = read.Done, read.Sum.Seconds
	if read.Tests != nil {
		s.Tests = read.Tests
	}
	rows := sum.rows
	*sum = *read.Sum
	sum.rows, sum.Missing = rows, nil
	for _, r := range sum.Suites {
		rows[[2]string{r.Package, r.Suite}] = r
	}
	for _, t := range tests {
		if h := s.Tests[t.id()]; h != nil {
			t.known, t.generated, t.seconds = true, h.Generated, h.Seconds
			t.suites, t.byHand = h.Suites, h.ByHand
		}
	}
	return s, nil
}

// mark names a job among those of its round.
func (j *job) mark() string { return fmt.Sprintf("%s %d", j.id(), j.part) }

// has reports whether a job of the present round is done.
func (s *state) has(j *job) bool { return s != nil && slices.Contains(s.Done, j.mark()) }

// nextRound forgets the jobs: those of the next round are others.
func (s *state) nextRound() {
	if s != nil {
		s.Done = nil
	}
}

// add notes a job that is done, took so many seconds and is counted in the sum, so long after the
// call began.
func (s *state) add(j *job, seconds float64, gone time.Duration) error {
	if s == nil {
		return nil
	}
	s.Done = append(s.Done, j.mark())
	s.Tests[j.id()] = &habits{j.generated, seconds, j.suites, j.byHand}
	s.sum.Seconds = s.before + gone.Seconds()
	return s.save()
}

// save writes the file.
func (s *state) save() error {
	if s == nil {
		return nil
	}
	s.Sum, s.sum.Suites = s.sum, s.sum.sorted()
	return cli.WriteFile("state", s.file, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "\t")
		return e.Encode(s)
	})
}
