package taskgraph

import (
	"cmp"
	"reflect"
	"slices"
)

// Reads declares what the task reads, and Writes what it writes: the graph then has the orders
// that follow. A task that writes a thing runs after all tasks added earlier that read or write it, one that reads it after
// the last one before that writes it; tasks that only read a thing may run beside each other. So do the systems of
// an ECS, in the order in which they were added, as far as they have something to do with each other.
//
// A thing is whatever == can tell apart: a pointer to what is meant, a name, a reflect.Type. It is only compared,
// so a struct and a field of it are two things, and so are the int 1 and the int64 1; pointers to values without a size
// may be one. Reads panics at nil and at what cannot be compared.
//
// A task declares a thing once: what it reads and writes, it writes. Otherwise Build returns an *[AccessError].
// An After against the order of adding is a *[CycleError] if the two tasks conflict. Orders that follow from others are left out,
// as far as a look at a limited number of tasks shows that.
func (t GraphTask) Reads(things ...any) GraphTask { return t.declare(things, false, "Reads") }

// Writes is described at [GraphTask.Reads].
func (t GraphTask) Writes(things ...any) GraphTask { return t.declare(things, true, "Writes") }

func (t GraphTask) declare(things []any, writes bool, how string) GraphTask {
	t.open()
	b := t.b
	if b.accesses == nil {
		b.accesses = &accesses{numbers: make(map[any]uint32)}
	}
	a := b.accesses
	for _, thing := range things {
		if !canBeCompared(thing) {
			panic("taskgraph: " + how + " of what cannot be compared")
		}
		n, known := a.numbers[thing]
		if !known {
			n = uint32(len(a.things))
			a.numbers[thing] = n
			a.things = append(a.things, thingState{thing: thing})
		}
		a.list = append(a.list, access{task: t.n, thing: n, writes: writes})
	}
	return t
}

// canBeCompared reports whether thing == thing does not panic. It allocates only for what has parts.
func canBeCompared(thing any) bool {
	if thing == nil || !reflect.TypeOf(thing).Comparable() {
		return false
	}
	switch reflect.TypeOf(thing).Kind() {
	case reflect.Struct, reflect.Array:
		return reflect.ValueOf(thing).Comparable()
	}
	return true
}

// accesses are what the tasks of a graph that is being built read and write, and memory to find out what follows.
type accesses struct {
	numbers map[any]uint32 // of things
	things  []thingState   // by number
	list    []access

	given   [2][]uint32 // what After was called with: rows of predecessors, and by task where its row begins
	derived [2][]uint32 // the same of what is derived, by task as far as that has come
	found   []uint32    // what a task has to come after
	behind  []uint32    // by task: who found it last behind what comes after it, plus 1
	stack   []uint32
}

// An access is one thing that one task reads or writes.
type access struct {
	task, thing uint32
	reader      uint32 // the last one before that reads it, plus 1, if nobody has written it since
	writes      bool
}

// A thingState is what the tasks so far have done with a thing.
type thingState struct {
	thing  any
	writer uint32 // the last task that writes it, plus 1
	reader uint32 // the last access since that reads it, plus 1
	last   uint32 // the last task that declares it, plus 1
}

// accessLook is how many tasks are looked at to find out which orders of a task follow from others.
const accessLook = 1024

// derive adds the orders that follow from what tasks read and write, or returns why that is contradictory.
func (b *GraphBuilder) derive(g *Graph) error {
	a := b.accesses
	if a == nil || len(a.list) == 0 {
		return nil
	}
	defer a.reset()
	inOrder := func(x, y access) int { return cmp.Compare(x.task, y.task) }
	if !slices.IsSortedFunc(a.list, inOrder) {
		slices.SortStableFunc(a.list, inOrder)
	}
	a.begin(b)
	for i := 0; i < len(a.list); {
		task := a.list[i].task
		a.found = a.found[:0]
		for ; i < len(a.list) && a.list[i].task == task; i++ {
			if twice := a.look(i); twice != nil {
				twice.Task = g.nameOfFirst(task)
				return twice
			}
		}
		a.keep(b, task)
	}
	return nil
}

// look gathers what access i has to come after, and notes it. It returns an error if its task has declared its thing before.
func (a *accesses) look(i int) *AccessError {
	x := &a.list[i]
	s := &a.things[x.thing]
	if s.last == x.task+1 {
		wrote := s.writer == x.task+1
		return &AccessError{Thing: s.thing, Reads: !wrote || !x.writes, Writes: wrote || x.writes}
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

// keep adds the orders that the task needs of those that were found: the latest first, and none behind what has
// been kept or was given.
func (a *accesses) keep(b *GraphBuilder, task uint32) {
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
		a.behind[p] = task + 1 // also if there was nothing left
		a.derived[0] = append(a.derived[0], p)
		b.edges = append(b.edges, graphEdge{p, task})
		if b.preds[task]++; b.preds[task] >= edgeMany {
			b.many = true
		}
	}
}

// mark notes for the task that p and what comes before p is behind it, back to the task first. It looks at so many tasks, and
// returns how many are left.
func (a *accesses) mark(p, task, first uint32, left int) int {
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

// begin lays out what After was called with by task.
func (a *accesses) begin(b *GraphBuilder) {
	n := len(b.bodies)
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

// reset forgets what was declared.
func (a *accesses) reset() {
	clear(a.numbers)
	clear(a.things)
	a.things, a.list = a.things[:0], a.list[:0]
}
