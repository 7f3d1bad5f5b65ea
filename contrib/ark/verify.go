package ark

import (
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/mlange-42/ark/ecs"
)

// An AccessError says that a system has touched what it did not declare. It is found with
// [Options.Verify].
type AccessError struct {
	System    string // its name
	Component string // what it has written, or "" if it has read something
	Declared  bool   // it has declared the component, but only as read
	Detail    string // how an undeclared read has shown itself
}

func (e *AccessError) Error() string {
	switch {
	case e.Component == "":
		return fmt.Sprintf("ark: system %q reads what it has not declared: %s", e.System, e.Detail)
	case e.Declared:
		return fmt.Sprintf(
			"ark: system %q writes %s, which it has declared as read",
			e.System,
			e.Component,
		)
	}
	return fmt.Sprintf("ark: system %q writes %s, which it has not declared", e.System, e.Component)
}

// verify runs a system and looks at what it has changed.
func (s *Schedule) verify(y *System, c *taskgraph.Context) error {
	reads := s.options.Verify == VerifyReads
	before := s.view.sums()
	var start *snapshot // what the system writes
	if reads {
		start = s.view.save(y.writesColumn)
	}
	if err := y.exec(c); err != nil {
		return err
	}
	after := s.view.sums()
	if err := s.view.compare(y, before, after); err != nil || !reads {
		return err
	}

	// Once more from the same state, with all that is not declared filled with something else.
	result, others := s.view.save(y.writesColumn), s.view.save(y.ignoresColumn)
	start.restore()
	others.scramble()
	err := y.again(c)
	again := s.view.sums()
	others.restore()
	result.restore()
	same := y.recordedTwice()
	if err != nil {
		return &AccessError{
			System: y.name,
			Detail: "it fails where that has other values: " + err.Error(),
		}
	}
	if !same {
		return &AccessError{
			System: y.name,
			Detail: "it records other commands where that has other values",
		}
	}
	for i, t := range s.view.tables {
		for j, id := range t.ids {
			if y.writesColumn(id) && again[i][j] != after[i][j] {
				return &AccessError{System: y.name,
					Detail: fmt.Sprintf(
						"%v comes out differently where that has other values",
						t.types[j],
					)}
			}
		}
	}
	return nil
}

func (y *System) writesColumn(id ecs.ID) bool {
	_, write := y.declared(id)
	return write
}

func (y *System) ignoresColumn(id ecs.ID) bool {
	read, _ := y.declared(id)
	return !read
}

// recordedTwice says whether a second run has recorded the same commands as the first, and forgets
// those of the second.
func (y *System) recordedTwice() bool {
	same := true
	y.lists(func(c *Commands) {
		n, m := c.first, c.firstSpells
		same = same && slices.Equal(c.entities[:n], c.entities[n:]) &&
			slices.EqualFunc(c.spells[:m], c.spells[m:], func(a, b spell) bool {
				return a.by == b.by && a.n == b.n
			})
		c.entities = c.entities[:n]
		clear(c.spells[m:])
		c.spells = c.spells[:m]
	})
	return same
}

// compare says which column has changed that y has not declared as written.
func (v *view) compare(y *System, before, after [][]uint64) error {
	for i, t := range v.tables {
		for j, id := range t.ids {
			if read, write := y.declared(id); !write && before[i][j] != after[i][j] {
				return &AccessError{System: y.name, Component: t.types[j].String(), Declared: read}
			}
		}
	}
	return nil
}

// again runs the system a second time, behind whose commands it records others. A panic is an
// error.
func (y *System) again(c *taskgraph.Context) (err error) {
	y.lists(func(c *Commands) { c.first, c.firstSpells = len(c.entities), len(c.spells) })
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return y.exec(c)
}
