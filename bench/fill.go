package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// A page marks where a table belongs, which, and from which file of results:
//
//	<!-- bench: steps steps.json -->
//	<!-- end -->
//
// The files lie in the folder that is named after the page, and so do the pictures.
var marked = regexp.MustCompile(`(?s)(<!-- bench: (\S+) ([^>]*?) -->\n).*?(<!-- end -->\n)`)

// keeping is what a page leaves out of a command: where the figures were kept.
var keeping = regexp.MustCompile(` -keep \S+`)

// fillPage writes all that a page marks anew.
func fillPage(page string) error {
	files, err := filled(page)
	if err != nil {
		return err
	}
	for name, text := range files {
		err = errors.Join(err, cli.WriteFile("fill", name, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}))
	}
	return err
}

// filled returns the page, and the pictures that it shows, as they should be.
func filled(page string) (files map[string]string, err error) {
	text, err := os.ReadFile(filepath.Clean(page))
	if err != nil {
		return nil, err
	}
	folder, ok := strings.CutSuffix(page, ".md")
	if !ok {
		return nil, fmt.Errorf("-fill %s: want a page whose name ends in .md", page)
	}
	if strings.Count(string(text), "<!-- bench:") != len(marked.FindAll(text, -1)) {
		return nil, fmt.Errorf("%s: a mark names no file, or has no end", page)
	}
	files = map[string]string{}
	files[page] = marked.ReplaceAllStringFunc(string(text), func(region string) string {
		part := marked.FindStringSubmatch(region)
		begin, name, end := part[1], part[2], part[4]
		var from []results
		for _, file := range strings.Fields(part[3]) {
			r, failed := readResults(filepath.Join(folder, file))
			if failed != nil {
				err = failed
				return region
			}
			from = append(from, r)
		}
		var body strings.Builder
		switch table, picture := documentTables[name], documentPictures[name]; {
		case table != nil && len(from) == 1:
			g := table(&from[0])
			g.markdown(&body)
		case picture != nil && len(from) > 0:
			files[filepath.Join(folder, name+".svg")] = picture(from)
			fmt.Fprintf(&body, "![%s](%s/%s.svg)\n", name, filepath.Base(folder), name)
		default:
			err = fmt.Errorf("%s: nothing is called %s and made of %d files", page, name, len(from))
		}
		for _, r := range from {
			body.WriteString("\n`" + keeping.ReplaceAllString(r.Command, "") + "`\n")
		}
		return begin + body.String() + end
	})
	return files, err
}
