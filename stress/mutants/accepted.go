package main

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// A reason is why an edit that nothing finds is none that something has to find.
type reason struct {
	id   string
	text string
}

// readAccepted reads reasons: a line that is an edit's identity, and below it, indented, the
// argument. Lines that begin with # are comments.
func readAccepted(name string) (all []reason, err error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseAccepted(string(text))
}

func parseAccepted(text string) (all []reason, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n \t")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "\t"):
			if len(all) == 0 {
				return nil, errors.New("an argument without an edit: " + strings.TrimSpace(line))
			}
			last := &all[len(all)-1]
			last.text = strings.TrimSpace(last.text + " " + strings.TrimSpace(line))
		default:
			all = append(all, reason{id: line})
		}
	}
	for i, r := range all {
		if r.text == "" {
			return nil, errors.New("no argument for " + r.id)
		}
		for _, other := range all[:i] {
			if other.id == r.id {
				return nil, errors.New("twice: " + r.id)
			}
		}
	}
	return all, nil
}
