package taskgraph

import (
	"errors"
	"slices"
)

// ErrNotChosen is the failure of a case that a task did not choose, and of what depends on it. It
// does not count as a failure that nobody saw.
var ErrNotChosen = errors.New("not chosen")

// Cases returns n events for what may come after the task: its body decides with [Context.Choose]
// which of it does. The chosen ones complete with the task. The others fail with [ErrNotChosen], so
// that their dependents are skipped: all of them if the body does not choose, fails or does not
// run. It can be called once for each task, and makes garbage. What comes after several cases in
// any case runs [Task.Always].
func (t Task) Cases(n int) []Event {
	must(n >= 1, "Cases of less than one")
	cases := make([]Event, n)
	c := t.held("Cases")
	if c == nil {
		for i := range cases {
			cases[i] = t.ev
		}
		return cases
	}
	p := c.propsOf()
	must(p.choice == nil, "Cases for the second time")
	for i := range cases {
		// A case completes with the task's event, unless Choose makes it fail.
		cases[i] = t.sys.NewEvent()
		cases[i].DontCompleteUntil(t.ev)
		cases[i].Trigger()
	}
	p.choice = &choice{cases: append([]Event(nil), cases...)}
	c.body = &choosing{Body{c.body}}
	return cases
}

// A choice is what a task can choose from.
type choice struct {
	cases []Event
	made  bool
}

// choosing is the body of a task with cases.
type choosing struct{ body Body }

// Run implements [Job].
func (b *choosing) Run(c *Context) error {
	err := b.body.call(c)
	if p := c.r.sys.colds.At(uint32(c.ev.Node())).props.Load(); err == nil && !c.again &&
		!p.choice.made {
		p.choice.choose(c.r.sys)
	}
	return err
}

// choose fails the cases that are not chosen. As the task is incomplete, so are they.
func (ch *choice) choose(s *System, chosen ...int) {
	ch.made = true
	for i, e := range ch.cases {
		if !slices.Contains(chosen, i) {
			e.DontCompleteUntil(s.notChosen)
		}
	}
}

// Choose says which of the task's [Task.Cases] are to go on, by their numbers from 0 on; it may be
// none. A body chooses once, in one of its rounds. It panics if there is no such case.
func (c *Context) Choose(cases ...int) {
	c.misused("Choose")
	var ch *choice
	if cold := c.r.sys.colds.At(uint32(c.ev.Node())); cold.special.Load() && c.graph == nil {
		ch = cold.props.Load().choice
	}
	must(ch != nil, "Choose in a task without Cases")
	must(!ch.made, "Choose for the second time")
	for _, k := range cases {
		must(k >= 0 && k < len(ch.cases), "Choose of a case that there is not")
	}
	ch.choose(c.r.sys, cases...)
}
