package main

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A plan says what becomes of each command.
type plan struct {
	run   []run
	steps []*command // of .ci/run
	names []*command // name a command of Go or a variable, not what to run
	not   []run      // cannot run; why has the reason
}

// A run is a command with the line that a shell runs for it.
type run struct {
	*command
	line      string
	interrupt bool
	why       string // it is interrupted, runs with less to do, or does not run
}

// newPlan consults the table, and says what is wrong with that and with the commands.
func newPlan(t *tree, all []*command, table []entry, script string) (p plan, wrong []string) {
	steps, used := steps(script), map[int]bool{}
	for _, c := range all {
		filled, first, kind := c.text, "", how(-1)
		less, why := "", ""
		for i, e := range table {
			if !e.when.MatchString(c.text) {
				continue
			}
			used[i] = true
			switch e.how {
			case fill:
				filled = e.when.ReplaceAllString(filled, e.with)
			case need:
				first += e.with + "; "
			default:
				kind, why = e.how, e.why
				less = e.when.ReplaceAllString(filled, e.with)
			}
		}
		fault := t.wrong(filled)
		if open := placeholder.FindString(filled); open != "" {
			fault = "table.go has nothing for " + open
		}
		if fault != "" && kind != foreign {
			wrong = append(wrong, fmt.Sprintf("%s: %s: %s", c.at, c.text, fault))
		}
		if kind == smaller {
			filled = less
		}
		switch r := (run{c, first + filled, kind == interrupted, why}); {
		case kind == never || kind == foreign:
			p.not = append(p.not, r)
		case c.names():
			p.names = append(p.names, c)
		case step(c.text, steps):
			p.steps = append(p.steps, c)
		default:
			p.run = append(p.run, r)
		}
	}
	for i, e := range table {
		if !used[i] {
			wrong = append(wrong,
				fmt.Sprintf("table.go: no page has a command that matches %v: remove the entry",
					e.when))
		}
	}
	return p, wrong
}

// placeholder matches what stands for a value.
var placeholder = regexp.MustCompile(`(?:[ /=])[A-Z]+(?:$|[ ./])`)

// naming matches a command of Go without what it is about, and a variable.
var naming = regexp.MustCompile(`^go( -C)?( mod| tool)?( [a-z]+)?( -[a-z]+(=\S+)?)*$|` +
	`^(export )?[A-Z0-9_]+=\S+$`)

// names reports whether a command is only named.
func (c *command) names() bool {
	return naming.MatchString(c.text) && (c.span || strings.HasPrefix(c.text, "export "))
}

// listed matches the targets that .ci/run has for steps.
var listed = regexp.MustCompile(`set -- ((?:[^\n\\]|\\\n)+)`)

// steps returns the targets of make that .ci/run runs.
func steps(script string) map[string]bool {
	found := map[string]bool{}
	if m := listed.FindStringSubmatch(script); m != nil {
		for _, target := range strings.Fields(strings.ReplaceAll(m[1], "\\\n", " ")) {
			found[target] = true
		}
	}
	return found
}

// step reports whether CI runs a command as steps.
func step(text string, steps map[string]bool) bool {
	targets, ok := strings.CutPrefix(text, "make ")
	return text == ".ci/run" || ok &&
		!slices.ContainsFunc(strings.Fields(targets), func(s string) bool { return !steps[s] })
}

// print says what becomes of each command.
func (p *plan) print(w io.Writer) {
	for _, r := range p.run {
		fmt.Fprintf(w, "run: %s\n", r.text)
		if r.line != r.text {
			fmt.Fprintf(w, "    as: %s\n", r.line)
		}
		if r.interrupt {
			fmt.Fprintln(w, "    and interrupt it")
		}
		if r.why != "" {
			fmt.Fprintf(w, "    because it %s\n", r.why)
		}
	}
	for _, c := range p.steps {
		fmt.Fprintf(w, "step of .ci/run: %s\n", c.text)
	}
	for _, c := range p.names {
		fmt.Fprintf(w, "only a name: %s\n", c.text)
	}
	for _, r := range p.not {
		fmt.Fprintf(w, "not run: %s\n    because it %s\n", r.text, r.why)
	}
}
