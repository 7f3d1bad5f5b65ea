package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Noise is the share by which two times may differ and still count as level.
const Noise = 0.03

// Beside compares a time with another program's, as a predicate: "was 1.51 times as fast as
// errgroup", "was level with errgroup (0.99 times as fast)" or "was slower than errgroup: it took
// 1.20 times as long". Both times are in one unit. If either is not positive, they cannot be
// compared, which the predicate then says.
func Beside(ours, others float64, name string) string {
	switch compare(ours, others) {
	case unknown:
		return "cannot be compared with " + name
	case ahead:
		return fmt.Sprintf("was %.2f times as fast as %s", others/ours, name)
	case behind:
		return fmt.Sprintf("was slower than %s: it took %.2f times as long", name, ours/others)
	}
	return fmt.Sprintf("was level with %s (%.2f times as fast)", name, others/ours)
}

// The outcomes of a comparison.
const (
	unknown = iota
	ahead
	level
	behind
)

func compare(ours, others float64) int {
	switch {
	case !(ours > 0) || !(others > 0): // not a number is not positive
		return unknown
	case others > ours*(1+Noise):
		return ahead
	case ours > others*(1+Noise):
		return behind
	}
	return level
}

// A Tally counts the rows of a table in which Heddle is ahead, level or behind. The zero Tally is
// empty.
type Tally struct {
	ahead, level int
	behind       []lost
}

// lost is a row in which Heddle is behind, and the factor by which it is.
type lost struct {
	name   string
	factor float64
}

// Add counts a row. A row whose times cannot be compared does not count.
func (t *Tally) Add(name string, ours, others float64) {
	switch compare(ours, others) {
	case ahead:
		t.ahead++
	case level:
		t.level++
	case behind:
		t.behind = append(t.behind, lost{name, ours / others})
	}
}

// Rows is how many rows were counted.
func (t *Tally) Rows() int { return t.ahead + t.level + len(t.behind) }

// listed is how many lost rows a sentence names.
const listed = 5

// Against is the sentence that compares Heddle with others: in how many rows it was ahead, level
// and behind. It names the rows in which Heddle was furthest behind.
func (t *Tally) Against(others string) string {
	rows := t.Rows()
	if rows == 0 {
		return "No row compares Heddle with " + others + "."
	}
	text := fmt.Sprintf("Compared with %s, Heddle was faster in %d of %s", others, t.ahead,
		Count(rows, "row"))
	if t.level > 0 {
		text += fmt.Sprintf(", level (within %.0f %%) in %d", 100*Noise, t.level)
	}
	if len(t.behind) == 0 {
		return text + " and slower in none."
	}
	worst := slices.SortedStableFunc(slices.Values(t.behind),
		func(a, b lost) int { return cmp.Compare(b.factor, a.factor) })
	var names []string
	for _, l := range worst[:min(len(worst), listed)] {
		names = append(names, fmt.Sprintf("%s (%.2f times as long)", l.name, l.factor))
	}
	text += fmt.Sprintf(" and slower in %d: %s", len(worst), strings.Join(names, ", "))
	if more := len(worst) - len(names); more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text + "."
}

// Count is a number with its noun: "1 row", "3 rows".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
