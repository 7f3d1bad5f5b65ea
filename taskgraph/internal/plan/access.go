package plan

import (
	"cmp"
	"slices"
)

// Accesses are what the tasks of an unfinished plan read and write, and memory for deriving orders
// from that. The zero value is ready.
type Accesses struct {
	numbers map[any]uint32 // of things
	things  []thingState   // by number
	list    []access

	given   [2][]uint32 // added orders: rows of predecessors; each task's row
	derived [2][]uint32 // the same for derived orders, by task so far
	found   []uint32    // the predecessors found for a task
	behind  []uint32    // by task, 1 + the last task that found it implied by another order
	stack   []uint32
}

// An access is one thing that one task reads or writes.
type access struct {
	task, thing uint32
	reader      uint32 // 1 + the last access that read the thing since its last write
	writes      bool
}

// A thingState says what the tasks so far have done with a thing.
type thingState struct {
	thing  any
	writer uint32 // the last task that writes it, plus 1
	reader uint32 // the last access since that reads it, plus 1
	last   uint32 // the last task that declares it, plus 1
}

// accessLook is how many tasks the search for implied orders of a task looks at.
const accessLook = 1024

// Declare says that a task reads or writes a thing, for which IsThing is true.
func (a *Accesses) Declare(task uint32, thing any, writes bool) {
	n, known := a.numbers[thing]
	if !known {
		if a.numbers == nil {
			a.numbers = make(map[any]uint32)
		}
		n = uint32(len(a.things))
		a.numbers[thing] = n
		a.things = append(a.things, thingState{thing: thing})
	}
	a.list = append(a.list, access{task: task, thing: n, writes: writes})
}

// Reset forgets what was declared.
func (a *Accesses) Reset() {
	clear(a.numbers)
	clear(a.things)
	a.things, a.list = a.things[:0], a.list[:0]
}

// AddTo adds the derived orders to those of b, which has n tasks, or returns a contradiction in the
// declarations. It forgets the declarations.
func (a *Accesses) AddTo(b *Builder, n int) *Twice {
	if len(a.list) == 0 {
		return nil
	}
	defer a.Reset()
	inOrder := func(x, y access) int { return cmp.Compare(x.task, y.task) }
	if !slices.IsSortedFunc(a.list, inOrder) {
		slices.SortStableFunc(a.list, inOrder)
	}
	a.begin(b, n)
	for i := 0; i < len(a.list); {
		task := a.list[i].task
		a.found = a.found[:0]
		for ; i < len(a.list) && a.list[i].task == task; i++ {
			if twice := a.look(i); twice != nil {
				return twice
			}
		}
		a.keep(b, task)
	}
	return nil
}

// look gathers the predecessors of access i, and records the access.
func (a *Accesses) look(i int) *Twice {
	x := &a.list[i]
	s := &a.things[x.thing]
	if s.last == x.task+1 {
		wrote := s.writer == x.task+1
		return &Twice{Task: x.task, Thing: s.thing, Reads: !wrote || !x.writes, Writes: wrote ||
			x.writes}
	}
	s.last = x.task + 1
	if !x.writes {
		if s.writer != 0 {
			a.found = append(a.found, s.writer-1)
		}
		x.reader, s.reader = s.reader, uint32(i)+1
		return nil
	}
	if s.reader == 0 && s.writer != 0 {
		a.found = append(a.found, s.writer-1)
	}
	for r := s.reader; r != 0; r = a.list[r-1].reader {
		a.found = append(a.found, a.list[r-1].task)
	}
	s.writer, s.reader = x.task+1, 0
	return nil
}

// keep adds those of the found orders that the task needs: from the latest on, and none that a kept
// or an added order implies.
func (a *Accesses) keep(b *Builder, task uint32) {
	if len(a.found) == 0 {
		return
	}
	for len(a.derived[1]) <= int(task) {
		a.derived[1] = append(a.derived[1], uint32(len(a.derived[0])))
	}
	slices.Sort(a.found)
	first, left := a.found[0], accessLook
	for _, p := range row(&a.given, task) {
		left = a.mark(p, task, first, left)
	}
	for i := len(a.found) - 1; i >= 0; i-- {
		p := a.found[i]
		if a.behind[p] == task+1 {
			continue
		}
		left = a.mark(p, task, first, left)
		a.behind[p] = task + 1 // even if the budget is used up
		a.derived[0] = append(a.derived[0], p)
		b.Add(p, task)
	}
}

// mark notes for the task that an order after p implies p and p's predecessors, back to the task
// first. It looks at up to left tasks, and returns how much of that budget is left.
func (a *Accesses) mark(p, task, first uint32, left int) int {
	a.stack = append(a.stack[:0], p)
	for len(a.stack) > 0 && left > 0 {
		p := a.stack[len(a.stack)-1]
		a.stack = a.stack[:len(a.stack)-1]
		if p < first || a.behind[p] == task+1 {
			continue
		}
		a.behind[p] = task + 1
		left--
		a.stack = append(append(a.stack, row(&a.given, p)...), row(&a.derived, p)...)
	}
	return left
}

// row returns the predecessors of a task.
func row(of *[2][]uint32, task uint32) []uint32 {
	rows, at := of[0], of[1]
	if int(task) >= len(at) {
		return nil
	}
	if int(task)+1 == len(at) {
		return rows[at[task]:]
	}
	return rows[at[task]:at[task+1]]
}

// begin lays out the added orders by task.
func (a *Accesses) begin(b *Builder, n int) {
	a.behind = sized(a.behind, n)
	clear(a.behind)
	at := sized(a.given[1], n)
	end := uint32(0)
	for i, p := range b.preds[:n] {
		end += p
		at[i] = end
	}
	rows := sized(a.given[0], int(end))
	for _, e := range b.edges {
		at[e.to]--
		rows[at[e.to]] = e.from
	}
	a.given = [2][]uint32{rows, at}
	a.derived[0], a.derived[1] = a.derived[0][:0], a.derived[1][:0]
}
