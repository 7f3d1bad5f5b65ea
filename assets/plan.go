package assets

import (
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A Plan is the list of the pipes that items pass, in order. It may be edited at any time, also
// while items are in flight: an item keeps the pipes that the plan had when it began. The names of
// the pipes of one plan differ, and one of them at most is that of Dependencies.
//
// Any goroutine may call the methods. An edit takes effect at one moment, whole or not at all; its
// error wraps ErrPlan. Edits are lock-free. The zero Plan has no pipes; a Plan must not be copied.
type Plan struct {
	// P1 The list that pipes points to is never changed.
	// P2 Each edit is a compare-and-swap from the list that it read, so none is lost.
	pipes atomics.Pointer[[]Pipe]
}

// NewPlan returns a plan of pipes.
func NewPlan(pipes ...Pipe) (*Plan, error) {
	p := new(Plan)
	if err := p.Insert("", pipes...); err != nil {
		return nil, err
	}
	return p, nil
}

// Pipes returns the pipes as they are at this moment.
func (p *Plan) Pipes() []Pipe { return slices.Clone(p.now()) }

func (p *Plan) now() []Pipe {
	if l := p.pipes.Load(); l != nil {
		return *l
	}
	return nil
}

// Insert puts pipes before the one of the given name, or at the end if that is "".
func (p *Plan) Insert(before string, pipes ...Pipe) error {
	return p.edit(func(l []Pipe) ([]Pipe, error) {
		at, err := place(l, before)
		return slices.Insert(l, at, pipes...), err
	})
}

// Delete removes the pipe of the given name.
func (p *Plan) Delete(name string) error { return p.Splice(name, name) }

// Splice puts pipes in the place of those from first to last.
func (p *Plan) Splice(first, last string, pipes ...Pipe) error {
	return p.edit(func(l []Pipe) ([]Pipe, error) {
		from, to := find(l, first), find(l, last)
		if from < 0 || to < from {
			return nil, fmt.Errorf("%w: no pipes from %q to %q", ErrPlan, first, last)
		}
		return slices.Replace(l, from, to+1, pipes...), nil
	})
}

// Move puts the pipe of the given name before another, or at the end if that is "".
func (p *Plan) Move(name, before string) error {
	return p.edit(func(l []Pipe) ([]Pipe, error) {
		from := find(l, name)
		if from < 0 || name == before {
			return nil, fmt.Errorf("%w: %q cannot move before %q", ErrPlan, name, before)
		}
		moved := l[from]
		l = slices.Delete(l, from, from+1)
		at, err := place(l, before)
		return slices.Insert(l, at, moved), err
	})
}

// edit replaces the list by what f makes of a copy of it.
func (p *Plan) edit(f func([]Pipe) ([]Pipe, error)) error {
	for {
		old := p.pipes.Load()
		var was []Pipe
		if old != nil {
			was = *old
		}
		l, err := f(slices.Clone(was))
		if err == nil {
			err = check(l)
		}
		if err != nil {
			return err
		}
		if p.pipes.CompareAndSwap(old, &l) { // LP, P2
			return nil
		}
	}
}

func find(l []Pipe, name string) int {
	return slices.IndexFunc(l, func(p Pipe) bool { return p.Name == name })
}

func place(l []Pipe, before string) (int, error) {
	if before == "" {
		return len(l), nil
	}
	at := find(l, before)
	if at < 0 {
		return 0, fmt.Errorf("%w: no pipe %q", ErrPlan, before)
	}
	return at, nil
}

// check returns why a list is no plan.
func check(l []Pipe) error {
	seen := make(map[string]bool, len(l))
	waits := false
	for _, p := range l {
		switch {
		case p.Name == "" || !p.awaits && p.Run == nil:
			return fmt.Errorf("%w: pipe %q without a name or Run", ErrPlan, p.Name)
		case seen[p.Name]:
			return fmt.Errorf("%w: two pipes %q", ErrPlan, p.Name)
		case p.awaits && waits:
			return fmt.Errorf("%w: two pipes of dependencies", ErrPlan)
		}
		seen[p.Name] = true
		waits = waits || p.awaits
	}
	return nil
}
