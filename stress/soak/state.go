package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/cli"
	"github.com/heddle-go/heddle/internal/dev/race"
)

// A state is what a long soak leaves in a file, so that the next call goes on where the last one
// ended: after each child, so a crash loses half a minute. A nil state keeps nothing.
type state struct {
	file   string
	before float64 // seconds of earlier calls

	Settings string  `json:"settings"`   // under which a round of a seed is the same
	First    uint64  `json:"first_seed"` // of the first round
	Sum      summary `json:"sum"`
}

// settingsOf names the build, the surroundings and the flags that decide what a round is.
func settingsOf(o options) string {
	build := "plain"
	switch {
	case race.Enabled:
		build = "race"
	case atomics.Chaos(0, 0):
		build = "modelcheck"
	}
	for _, name := range []string{"GODEBUG", "GOGC", "GOMEMLIMIT"} {
		if v := os.Getenv(name); v != "" {
			build += " " + name + "=" + v
		}
	}
	text := fmt.Sprintf("%s -cpu %v", build, o.procs)
	if len(o.chaos) > 0 {
		text += " -chaos " + strings.Join(o.chaos, ",")
	}
	if o.only != nil && o.only.String() != "" {
		text += fmt.Sprintf(" -run %q", o.only)
	}
	return text
}

// openState reads the state that the options name and puts what was done into sum. It returns nil
// if none is named.
func openState(o options, sum *summary) (*state, error) {
	if o.state == "" {
		return nil, nil
	}
	s := &state{file: o.state, Settings: settingsOf(o), First: o.seed}
	text, err := os.ReadFile(o.state)
	if errors.Is(err, fs.ErrNotExist) {
		return s, s.save(sum)
	}
	if err != nil {
		return nil, err
	}
	var read state
	switch err := json.Unmarshal(text, &read); {
	case err != nil || read.First == 0 || read.Sum.Workloads == nil:
		return nil, fmt.Errorf("-state: %s is none of this command", o.state)
	case read.Settings != s.Settings:
		return nil, fmt.Errorf("-state: %s is of %s, not of %s", o.state, read.Settings, s.Settings)
	}
	s.First, s.before, *sum = read.First, read.Sum.Seconds, read.Sum
	return s, nil
}

// save writes the file.
func (s *state) save(sum *summary) error {
	if s == nil {
		return nil
	}
	s.Sum = *sum
	return cli.WriteFile("state", s.file, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "\t")
		return e.Encode(s)
	})
}
