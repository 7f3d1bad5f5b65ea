package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A specimen is one seeded bug: a small edit of a shipped file.
type specimen struct {
	structure   string // whose model test must find it
	name        string
	pkg         string // "./lockfree"
	file        string // "lockfree/stack.go"
	test        string // "TestModelStack" unless the header says otherwise
	tags        string // of the build; "" is that of the models, else an ordinary test finds it
	what        string // what is wrong
	breaks      string // the invariant or step of the proof that no longer holds
	preemptions int    // how many a schedule that shows it needs at least
	ordinary    string // why it is here although the ordinary tests find it; "": they do not
	edits       []edit
}

// An edit replaces some lines of the file.
type edit struct{ old, new []string }

// id names a specimen: structure/name.
func (s *specimen) id() string { return s.structure + "/" + s.name }

// load reads all specimens: structure/name.txt.
func load(fsys fs.FS) ([]*specimen, error) {
	var all []*specimen
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if path.Ext(name) != ".txt" {
			return fmt.Errorf("%s: a specimen is a file structure/name.txt", name)
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		s, err := parse(path.Dir(name), strings.TrimSuffix(path.Base(name), ".txt"), string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, s)
		return nil
	})
	slices.SortFunc(all, func(a, b *specimen) int { return strings.Compare(a.id(), b.id()) })
	return all, err
}

// The marks between the parts of a specimen.
const (
	oldMark = "-- old --"
	newMark = "-- new --"
)

// parse reads one specimen: header lines "key: value", then pairs of an old and a new block.
func parse(structure, name, text string) (*specimen, error) {
	s := &specimen{structure: structure, name: name, test: "TestModel" + structure, preemptions: -1}
	header := map[string]*string{"package": &s.pkg, "file": &s.file, "what": &s.what,
		"breaks": &s.breaks}
	var block *[]string
	for i, line := range strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"),
		"\n"), "\n") {
		switch line {
		case oldMark:
			s.edits = append(s.edits, edit{})
			block = &s.edits[len(s.edits)-1].old
			continue
		case newMark:
			if len(s.edits) == 0 || block != &s.edits[len(s.edits)-1].old {
				return nil, fmt.Errorf("line %d: %q without %q", i+1, newMark, oldMark)
			}
			block = &s.edits[len(s.edits)-1].new
			continue
		}
		if block != nil {
			*block = append(*block, line)
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" {
			return nil, fmt.Errorf("line %d: want \"key: value\", have %q", i+1, line)
		}
		switch key {
		case "test":
			s.test = value
		case "tags":
			s.tags = value
		case "ordinary":
			s.ordinary = value
		case "preemptions":
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("line %d: %q is no number of preemptions", i+1, value)
			}
			s.preemptions = n
		default:
			field := header[key]
			if field == nil {
				return nil, fmt.Errorf("line %d: no header %q", i+1, key)
			}
			if *field != "" {
				return nil, fmt.Errorf("line %d: a second header %q", i+1, key)
			}
			*field = value
		}
	}
	for key, field := range header {
		if *field == "" {
			return nil, fmt.Errorf("no header %q", key)
		}
	}
	if (s.preemptions < 0) != (s.tags != "") {
		return nil, errors.New(`want one header of "preemptions" and "tags"`)
	}
	if s.ordinary != "" && s.tags != "" {
		return nil, errors.New(`a header "ordinary" with "tags", which says the same`)
	}
	if len(s.edits) == 0 || block == &s.edits[len(s.edits)-1].old {
		return nil, fmt.Errorf("want pairs of %q and %q", oldMark, newMark)
	}
	return s, nil
}

// errStale says that a specimen no longer fits the file that it edits.
var errStale = errors.New("stale")

// apply returns the edited text of the file.
func (s *specimen) apply(text string) (string, error) {
	for i, e := range s.edits {
		lines := strings.Split(text, "\n")
		first, last, n := find(lines, e.old)
		if n != 1 {
			return "", fmt.Errorf("%w: old block %d occurs %d times in %s, not once", errStale, i+1,
				n, s.file)
		}
		text = strings.Join(slices.Concat(lines[:first], e.new, lines[last+1:]), "\n")
	}
	return text, nil
}

// find returns where a block of whole lines stands, comments and spacing apart, and how
// often it does. So a comment may change, and gofmt may align it anew, without making a
// specimen stale.
func find(lines, block []string) (first, last, n int) {
	var have, want []string
	var at []int // the number of each line of have
	for i, line := range lines {
		if c := code(line); c != "" {
			have, at = append(have, c), append(at, i)
		}
	}
	for _, line := range block {
		if c := code(line); c != "" {
			want = append(want, c)
		}
	}
	if len(want) == 0 {
		return 0, 0, 0
	}
	for i := 0; i+len(want) <= len(have); i++ {
		if slices.Equal(have[i:i+len(want)], want) {
			first, last, n = at[i], at[i+len(want)-1], n+1
		}
	}
	return first, last, n
}

// code is a line without its comment and with single spaces. What looks like a comment inside
// a string is cut off as well, on both sides alike.
func code(line string) string {
	line, _, _ = strings.Cut(line, "//")
	return strings.Join(strings.Fields(line), " ")
}
