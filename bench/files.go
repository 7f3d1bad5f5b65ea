package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/heddle-go/heddle/internal/dev/cli"
)

// write puts the report into a folder: report.json, report.md, summary.md and the plots.
func (r *report) write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	text, err := r.json()
	if err != nil {
		return err
	}
	put := func(name, text string) error {
		return cli.WriteFile("out", filepath.Join(dir, name), func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	if err := put("report.json", string(text)); err != nil {
		return err
	}
	plots := map[string][]string{} // files by workload
	for _, s := range r.sections {
		for _, p := range s.plots() {
			picture, err := p.plot.WriterTo(p.width, p.height,
				strings.TrimPrefix(filepath.Ext(p.file), "."))
			if err != nil {
				return fmt.Errorf("%s: %w", p.file, err)
			}
			err = cli.WriteFile("out", filepath.Join(dir, p.file), func(w io.Writer) error {
				_, err := picture.WriteTo(w)
				return err
			})
			if err != nil {
				return err
			}
			plots[s.work.name] = append(plots[s.work.name], p.file)
		}
	}
	return errors.Join(put("summary.md", r.summary()), put("report.md", r.markdown(plots)))
}

// summary returns a line for each workload and number of workers: the figure of Heddle, and the
// ratios of the others.
func (r *report) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`\n\n%s. %s\n\n", r.command, r.head(), strings.Join(r.legend(), " "))
	var g grid
	g.add("workload", "workers", "heddle", "the others, as multiples of it")
	for _, s := range r.sections {
		for i, ours := range s.records {
			if ours.Runtime != heddle || ours.Error != "" {
				continue
			}
			var others []string
			for j, other := range s.records {
				if i == j || other.Workers != ours.Workers || other.Ratio == nil {
					continue
				}
				others = append(others, fmt.Sprintf("%s %.2f", other.name(), *other.Ratio))
			}
			g.add(s.work.name, strconv.Itoa(ours.Workers), figure(ours.Median)+" "+s.work.unit,
				strings.Join(others, ", "))
		}
	}
	g.markdown(&b)
	return b.String()
}

// markdown returns the report as a page that shows the plots.
func (r *report) markdown(plots map[string][]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Heddle beside its peers\n\n`%s`\n\n%s.\n\n%s\n", r.command, r.head(),
		strings.Join(r.legend(), " "))
	for _, s := range r.sections {
		fmt.Fprintf(&b, "\n## %s\n\nn = %d. %s.\n\n", s.work.name, s.work.n, s.work.title)
		s.grid().markdown(&b)
		for _, file := range plots[s.work.name] {
			fmt.Fprintf(&b, "\n![%s](%s)\n", strings.TrimSuffix(file, ".svg"), file)
		}
	}
	if len(r.costs) > 0 {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n", costsName, costsTitle)
		costGrid(r.costs).markdown(&b)
	}
	return b.String()
}

// markdown writes the cells as a table; a note takes the place of cells that a line lacks.
func (g grid) markdown(b *strings.Builder) {
	line := func(cells []string) {
		for _, cell := range cells {
			b.WriteString("|" + strings.ReplaceAll(cell, "|", `\|`))
		}
		b.WriteString("|\n")
	}
	for i, cells := range g.lines {
		if note := g.notes[i]; note != "" {
			cells = append(append([]string{}, cells...), note)
			for len(cells) < len(g.lines[0]) {
				cells = append(cells, "")
			}
		}
		line(cells)
		if i == 0 {
			b.WriteString("|---" + strings.Repeat("|---:", len(cells)-1) + "|\n")
		}
	}
}
