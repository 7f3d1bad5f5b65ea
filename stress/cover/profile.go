package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/heddle-go/heddle/stress/internal/shipped"
)

// A block is some statements in a row that the toolchain counts together: "lockfree/stack.go" and
// "12.2,14.9".
type block struct{ file, at string }

// A found is what ran. A build counts only what it compiles, and builds differ: under the tag
// modelcheck other files take the place of a few, and their blocks are not of what ships. So the
// blocks are those of the tests' build, which is the ordinary one, and the other profiles only add
// to what ran of these.
type found struct {
	statements map[block]int
	ran        map[block]map[string]bool // by which steps
	steps      []string                  // whose profiles are there
	lacks      []string                  // packages whose models have left none
}

// faults is the profile of the tests of faults, which are of the step of the tests, but of another
// build.
const faults = "faults"

// profileOf returns where the profile of that name is.
func profileOf(dir, name string) string { return filepath.Join(dir, name+".cov") }

// modelsOf returns where the profile of the models of a package is.
func modelsOf(dir, pkg string) string {
	return profileOf(dir, stepModels+"."+strings.ReplaceAll(pkg, "/", "."))
}

// read adds up the profiles of a folder. Of the step of the models each package that has some has
// its own.
func read(dir string, modeled []string) (*found, error) {
	f := &found{statements: map[block]int{}, ran: map[block]map[string]bool{}}
	for _, name := range []string{stepTests, faults, stepSoak} {
		step := name
		if name == faults {
			step = stepTests
		}
		switch there, err := f.addFile(step, name == stepTests, profileOf(dir, name)); {
		case err != nil:
			return nil, fmt.Errorf("the profile of %s: %w", name, err)
		case !there && name == stepTests:
			return nil, fmt.Errorf("%s has no profile of the tests: begin with -step %s", dir, name)
		case there && name == step:
			f.steps = append(f.steps, step)
		}
	}
	for _, pkg := range modeled {
		there, err := f.addFile(stepModels, false, modelsOf(dir, pkg))
		if err != nil {
			return nil, fmt.Errorf("the profile of the models of %s: %w", pkg, err)
		}
		if !there {
			f.lacks = append(f.lacks, pkg)
		}
	}
	if n := len(modeled) - len(f.lacks); n > 0 {
		step := stepModels
		if len(f.lacks) > 0 {
			step = fmt.Sprintf("%s of %d packages of %d", step, n, len(modeled))
		}
		f.steps = append(f.steps, step)
	}
	return f, nil
}

// addFile adds a profile that is in a file, and reports whether there is one.
func (f *found) addFile(step string, ships bool, name string) (there bool, err error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = f.add(step, ships, file)
	return true, errors.Join(err, file.Close())
}

// add adds a profile of a step. A block may come many times, once for each program in which it is.
// One that is not known counts only if the build is the one that ships.
func (f *found) add(step string, ships bool, r io.Reader) error {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if strings.HasPrefix(line, "mode: ") {
			continue
		}
		b, statements, ran, err := parse(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if _, known := f.statements[b]; !known {
			if !ships {
				continue
			}
			f.statements[b] = statements
		}
		if ran {
			if f.ran[b] == nil {
				f.ran[b] = map[string]bool{}
			}
			f.ran[b][step] = true
		}
	}
	return lines.Err()
}

// parse reads "PATH/file.go:12.2,14.9 3 1".
func parse(line string) (b block, statements int, ran bool, err error) {
	fields := strings.Fields(line)
	if len(fields) == 3 {
		name, at, ok := strings.Cut(strings.TrimPrefix(fields[0], shipped.Module+"/"), ":")
		n, bad := strconv.Atoi(fields[1])
		count, worse := strconv.ParseUint(fields[2], 10, 64)
		if ok && bad == nil && worse == nil {
			return block{name, at}, n, count > 0, nil
		}
	}
	return b, 0, false, fmt.Errorf("%q is none of a profile", line)
}

// A row is what ran of a package or of a file: statements.
type row struct {
	Name       string `json:"name"`
	Statements int    `json:"statements"`
	Tests      int    `json:"tests"`
	Models     int    `json:"models"`
	Soak       int    `json:"soak"`
	Together   int    `json:"together"`
}

// A report is what -json prints.
type report struct {
	Steps    []string `json:"steps"`
	Packages []*row   `json:"packages"`
	Files    []*row   `json:"files"`
}

// report adds up by packages and by files.
func (f *found) report() (r report) {
	r.Steps = f.steps
	packages, files := map[string]*row{}, map[string]*row{}
	for b, n := range f.statements {
		count(packages, path.Dir(b.file), n, f.ran[b])
		count(files, b.file, n, f.ran[b])
	}
	r.Packages, r.Files = sorted(packages), sorted(files)
	return r
}

func count(rows map[string]*row, name string, statements int, ran map[string]bool) {
	r := rows[name]
	if r == nil {
		r = &row{Name: name}
		rows[name] = r
	}
	r.Statements += statements
	for step, sum := range map[string]*int{stepTests: &r.Tests, stepModels: &r.Models,
		stepSoak: &r.Soak} {
		if ran[step] {
			*sum += statements
		}
	}
	if len(ran) > 0 {
		r.Together += statements
	}
}

func sorted(rows map[string]*row) (all []*row) {
	for _, r := range rows {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *row) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// percent writes a part of a whole, rounded down: 100 % is all.
func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	tenths := n * 1000 / of
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
}

// table writes a line for each package.
func (r report) table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "package\tstatements\ttests\tmodels\tsoak\ttogether")
	total := row{Name: "all"}
	for _, p := range append(r.Packages, &total) {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\n", p.Name, p.Statements,
			percent(p.Tests, p.Statements), percent(p.Models, p.Statements),
			percent(p.Soak, p.Statements), percent(p.Together, p.Statements))
		total.Statements += p.Statements
		total.Tests += p.Tests
		total.Models += p.Models
		total.Soak += p.Soak
		total.Together += p.Together
	}
	t.Flush()
}

// list shows the blocks that nothing runs, with their first line.
func (f *found) list(root, pkg string, w io.Writer) error {
	var missing []block
	for b := range f.statements {
		if len(f.ran[b]) == 0 && (pkg == "all" || path.Dir(b.file) == pkg) {
			missing = append(missing, b)
		}
	}
	slices.SortFunc(missing, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(line(a.at), line(b.at)))
	})
	for _, b := range missing {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(b.file)))
		if err != nil {
			return err
		}
		lines, n := strings.Split(string(text), "\n"), line(b.at)
		if n < 1 || n > len(lines) {
			return fmt.Errorf("%s has no line %d: it has changed since the profile was made",
				b.file, n)
		}
		fmt.Fprintf(w, "%s:%d: %d: %s\n", b.file, n, f.statements[b],
			strings.TrimSpace(lines[n-1]))
	}
	return nil
}

// line is the first line of a block.
func line(at string) int {
	first, _, _ := strings.Cut(at, ".")
	n, _ := strconv.Atoi(first)
	return n
}
