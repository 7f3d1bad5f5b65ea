package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// An outcome is what became of an edit.
type outcome string

const (
	foundByTests  outcome = "tests"
	foundByModels outcome = "models"
	survived      outcome = "survived"
	sameCode      outcome = "same"    // not valid: the object code is the same
	notBuilt      outcome = "invalid" // not valid: it does not compile
)

// A judged edit is one line of the state file.
type judged struct {
	ID      string  `json:"id"`
	Pkg     string  `json:"pkg"`
	Outcome outcome `json:"outcome"`
	By      string  `json:"by,omitempty"` // the test that found it, and how
	Seconds float64 `json:"seconds"`
}

// A state is what is known of the edits, kept in a file of which each line is one that was judged.
// The last line of an edit counts.
type state struct {
	known map[string]judged
	file  *os.File // nil: kept nowhere
}

// openState reads a state file, or makes it. The name may be empty.
func openState(name string) (*state, error) {
	s := &state{known: make(map[string]judged)}
	if name == "" {
		return s, nil
	}
	good := int64(0)
	f, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		defer f.Close()
		r := bufio.NewReader(f)
		for n := 1; ; n++ {
			line, err := r.ReadBytes('\n')
			if err != nil {
				break // the last line may be torn; it is written anew
			}
			var j judged
			if err := json.Unmarshal(line, &j); err != nil || j.ID == "" {
				return nil, fmt.Errorf("%s:%d: this is no state of mutants", name, n)
			}
			s.known[j.ID] = j
			good += int64(len(line))
		}
	}
	if s.file, err = os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, err
	}
	if err := s.file.Truncate(good); err != nil {
		return nil, errors.Join(err, s.file.Close())
	}
	if _, err := s.file.Seek(good, 0); err != nil {
		return nil, errors.Join(err, s.file.Close())
	}
	return s, nil
}

// add takes note of an edit that was judged.
func (s *state) add(j judged) error {
	s.known[j.ID] = j
	if s.file == nil {
		return nil
	}
	line, err := json.Marshal(j)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(line, '\n'))
	return err
}

func (s *state) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
