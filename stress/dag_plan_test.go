package stress_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/stress"
	"github.com/heddle-go/heddle/taskgraph"
)

// A plan is a graph of tasks with everything that its bodies will do, drawn before anything
// runs. Nodes are numbered in the order in which they would be built one after the other:
// a node, then the nodes that its body launches, then the next. A body refers to its own
// children, and to nodes and gates that are older than it and than whoever launches it; so
// nothing can wait for itself.
type plan struct {
	workers, foreground int
	parkGo              bool
	threads             bool // there are named threads
	drain               bool // nobody waits for the tasks but Shutdown
	inside              bool // node 0 launches the others
	rounds, copies      int  // on one system: one after the other, and at the same time
	shape               stress.Shape
	seed                [2]uint64
	odds                odds

	nodes   []*node
	gates   []*gate
	top     []int   // launched from outside
	outside [][]int // what goroutines from outside wait for

	plainWaits int // left to be planned; each may cost a body its worker for a while
	verdicts   map[int]*verdict
}

// odds are percentages.
type odds struct {
	fail, always, pin, priority, late, nested, wait, hold, gate, loop int
}

type body uint8

const (
	bodyDo body = iota
	bodyTry
	bodyRun
)

type fail uint8

const (
	failNot fail = iota
	failError
	failPanic
	failPanicError
	failGoexit
)

// The named threads that a node may ask for. The last has quit before the start.
const (
	pinNot = iota
	pinFirst
	pinSecond
	pinDead

	pins
)

type node struct {
	id, parent int // parent is -1 outside

	prerequisites []int
	gates         []int
	twice         bool // every prerequisite is given twice
	always        bool
	named         bool
	priority      taskgraph.Priority
	pin           int
	bySystem      bool // launched through the System, although there may be a Context
	quick         bool // launched by Go or Spawn
	late          int  // 0, or the number of who launches it after all others were built

	body       body
	children   []int
	triggers   []int // gates
	waits      []wait
	holds      []int
	holdGates  []int
	holdsFirst bool // before the waits
	loop       int  // elements, or 0
	loopGrain  int
	loopFails  bool
	fail       fail
}

type how uint8

const (
	waitContext  how = iota // Context.WaitUntilTasksComplete that may run what it waits for
	waitOwn                 // the same under the Context itself
	waitNoHelp              // the same under a context that could be canceled
	waitCanceled            // under a canceled context: whatever it returns, at once
	waitSystem              // System.WaitUntilTasksComplete
	waitEvent               // Event.Wait, one after the other
)

// A wait is for nodes, in this order, and then for gates.
type wait struct {
	how     how
	targets []int // nodes, and gates as gateKey
	pass    bool  // the body returns a failure that it was told of
}

// A gate is a manual event.
type gate struct {
	after   int   // only nodes with greater numbers use it
	holds   []int // nodes launched from outside, all before
	fail    bool
	by      int // the node that triggers it, or -1: a goroutine of its own
	rivals  int // how many goroutines more trigger it
	delayed bool
}

// gateKey is the number of gate k where nodes have positive ones.
func gateKey(k int) int { return -1 - k }

func drawPlan(t *rapid.T, drain bool, maxNodes int) *plan {
	p := &plan{
		workers:    rapid.SampledFrom([]int{1, 2, 4, 16}).Draw(t, "workers"),
		parkGo:     rapid.IntRange(0, 3).Draw(t, "park") == 3,
		threads:    rapid.Bool().Draw(t, "threads"),
		inside:     rapid.IntRange(0, 2).Draw(t, "inside") == 2,
		drain:      drain,
		rounds:     rapid.IntRange(1, 3).Draw(t, "rounds"),
		copies:     rapid.IntRange(1, 2).Draw(t, "copies"),
		plainWaits: 2,
	}
	if rapid.Bool().Draw(t, "no foreground workers") {
		p.foreground = -1
	}
	odd := func(name string, most int) int {
		return rapid.SampledFrom([]int{0, most / 4, most}).Draw(t, name)
	}
	p.odds = odds{
		fail: odd("fail", 20), always: odd("always", 50), pin: odd("pin", 40),
		priority: odd("priority", 100),
		late:     odd("late", 60), nested: odd("nested", 40), wait: odd("wait", 50),
		hold: odd("hold", 50),
		gate: odd("gate", 30), loop: odd("loop", 20),
	}
	if !p.threads {
		p.odds.pin = 0
	}
	p.shape = rapid.SampledFrom(stress.Shapes()).Draw(t, "shape")
	d := p.shape.Draw(t, maxNodes)
	for i := range p.seed {
		p.seed[i] = rapid.Uint64().Draw(t, "seed")
	}

	g := planner{plan: p, r: rand.New(rand.NewPCG(p.seed[0], p.seed[1]))}
	if p.inside {
		root := &node{parent: -1, body: bodyRun}
		p.nodes = append(p.nodes, root)
		p.top = []int{0}
		g.addGates(2)
		root.children = g.scope(0, d, nil, 1)
	} else {
		g.addGates(1)
		p.top = g.scope(-1, d, nil, 0)
	}
	if !p.drain && len(p.top) > 0 {
		for range g.r.IntN(3) {
			p.outside = append(p.outside, g.pick(p.top, 4))
		}
	}
	p.verdicts = map[int]*verdict{}
	return p
}

type planner struct {
	*plan
	r *rand.Rand
}

func (g *planner) percent(p int) bool { return p > 0 && g.r.IntN(100) < p }

// pick returns up to most different elements of from, at least one if there is one.
func (g *planner) pick(from []int, most int) []int {
	if len(from) == 0 {
		return nil
	}
	var some []int
	for _, i := range g.r.Perm(len(from))[:1+g.r.IntN(min(most, len(from)))] {
		some = append(some, from[i])
	}
	return some
}

// addGates adds gates that the nodes to come may use.
func (g *planner) addGates(most int) {
	for range most {
		if !g.percent(g.odds.gate) {
			continue
		}
		e := &gate{after: len(g.nodes) - 1, by: -1, fail: g.percent(g.odds.fail),
			delayed: g.percent(50)}
		if g.percent(30) && !g.inside {
			e.holds = g.pick(g.top, 2)
		}
		if len(e.holds) == 0 && len(g.top) > 0 && !g.inside && g.percent(30) {
			e.by = g.top[g.r.IntN(len(g.top))]
			g.nodes[e.by].triggers = append(g.nodes[e.by].triggers, len(g.gates))
		} else if g.percent(30) {
			e.rivals = 1 + g.r.IntN(2)
		}
		g.gates = append(g.gates, e)
	}
}

// pickGates returns gates that node n may use.
func (g *planner) pickGates(n int) (some []int) {
	for k, e := range g.gates {
		if e.after < n && g.percent(g.odds.gate) && g.percent(30) {
			some = append(some, k)
		}
	}
	return some
}

// scope plans the nodes that one body launches, or the outside, and returns them. outer are
// the nodes around them that they may refer to.
func (g *planner) scope(parent int, d stress.DAG, outer []int, depth int) []int {
	var ids []int
	for _, prerequisites := range d {
		n := &node{id: len(g.nodes), parent: parent}
		g.nodes = append(g.nodes, n)
		visible := slices.Concat(outer, ids)
		for _, p := range prerequisites {
			n.prerequisites = append(n.prerequisites, ids[p])
		}
		if parent >= 0 && g.percent(20) {
			n.prerequisites = append(n.prerequisites, g.pick(outer, 2)...)
		}
		n.gates = g.pickGates(n.id)
		g.properties(n)
		if depth < 2 && g.percent(g.odds.nested) && !(g.drain && n.body != bodyRun) {
			n.children = g.scope(n.id, g.small(), visible, depth+1)
		}
		g.deeds(n, visible)
		ids = append(ids, n.id)
		if parent < 0 {
			g.top = ids
			g.addGates(1)
		}
	}
	return ids
}

// small returns a graph for the children of a node.
func (g *planner) small() stress.DAG {
	d := make(stress.DAG, 1+g.r.IntN(4))
	for i := range d {
		for j := range i {
			if g.percent(40) {
				d[i] = append(d[i], j)
			}
		}
	}
	return d
}

// properties decides how n is launched and ends.
func (g *planner) properties(n *node) {
	n.body = body(g.r.IntN(4))
	if n.body > bodyRun {
		n.body = bodyRun
	}
	n.twice = g.percent(5)
	n.always = g.percent(g.odds.always)
	n.named = g.percent(10)
	if g.percent(g.odds.priority) {
		n.priority = taskgraph.Priority(g.r.IntN(5))
	}
	if g.percent(g.odds.pin) {
		n.pin = pinFirst + g.r.IntN(2)
		if g.percent(5) {
			n.pin = pinDead
		}
	}
	if n.parent >= 0 {
		n.bySystem = !g.drain && g.percent(30) || g.nodes[n.parent].body != bodyRun
	}
	if g.percent(g.odds.late) {
		n.late = 1 + g.r.IntN(3)
	}
	n.quick = len(n.prerequisites)+len(n.gates) == 0 && !n.always && !n.named && n.priority == 0 &&
		n.pin == pinNot && n.late == 0
	if g.percent(g.odds.fail) {
		n.fail = fail(1 + g.r.IntN(4))
		if n.fail == failError && n.body == bodyDo {
			n.fail = failPanic
		}
	}
}

// deeds decides what the body of n does. visible are the older nodes it may refer to.
func (g *planner) deeds(n *node, visible []int) {
	if g.percent(g.odds.loop) {
		n.loop = 1 + g.r.IntN(200)
		n.loopGrain = g.r.IntN(20)
		n.loopFails = g.percent(20)
	}
	for range 2 {
		if !g.percent(g.odds.wait) {
			continue
		}
		w := wait{how: how(g.r.IntN(int(waitEvent) + 1))}
		if w.how < waitSystem && n.body != bodyRun {
			w.how = waitSystem
		}
		if g.percent(70) {
			w.targets = g.pick(n.children, 3)
		}
		if len(w.targets) == 0 || g.percent(30) {
			w.targets = append(w.targets, g.pick(visible, 3)...)
		}
		for _, k := range g.pickGates(n.id) {
			w.targets = append(w.targets, gateKey(k))
		}
		w.pass = n.body != bodyDo && g.percent(30)
		if len(w.targets) > 0 && g.allowed(n, w) {
			if w.how >= waitSystem && n.pin == pinNot {
				if g.plainWaits == 0 {
					continue
				}
				g.plainWaits--
			}
			n.waits = append(n.waits, w)
		}
	}
	if n.body != bodyRun {
		return
	}
	n.holdsFirst = g.percent(50)
	if g.percent(g.odds.hold) {
		n.holds = g.pick(n.children, 3)
		if len(n.holds) == 0 || g.percent(20) {
			n.holds = append(n.holds, g.pick(visible, 2)...)
		}
		n.holdGates = g.pickGates(n.id)
	}
}

// helps reports whether the wait may run other tasks on top of the body of n.
func (w wait) helps(n *node) bool { return w.how < waitNoHelp || n.pin != pinNot }

// allowed says whether the wait cannot hang and cannot change how n ends.
func (g *planner) allowed(n *node, w wait) bool {
	if w.how == waitCanceled {
		return true // it does nothing else
	}
	if w.helps(n) {
		// A Goexit on top of a body ends that too.
		for i := range g.reach(w.targets, onTop) {
			if i >= 0 && g.nodes[i].fail == failGoexit {
				return false
			}
		}
	}
	if n.pin == pinNot {
		return true
	}
	// A body that waits on a named thread keeps the thread from all that it does not wait
	// for.
	seen := g.reach(w.targets, threadFinds)
	for i := range g.reach(w.targets, byAnything) {
		if i < 0 || g.nodes[i].pin == pinNot {
			continue
		}
		if w.how >= waitSystem || g.nodes[i].pin != n.pin || !seen[i] {
			return false
		}
	}
	return true
}

type relation uint8

const (
	byPrerequisites relation = iota // and what holds a gate
	byEdges                         // and what holds a node
	onTop                           // and waits that help
	byAnything                      // whatever the completion depends on
)

// threadFinds is how a wait on a named thread finds the tasks that are bound to the thread.
const threadFinds = byEdges

// reach returns nodes and gates that the completion of the targets depends on, themselves
// included.
func (p *plan) reach(targets []int, by relation) map[int]bool {
	seen := map[int]bool{}
	var visit func(i int)
	all := func(of []int) {
		for _, i := range of {
			visit(i)
		}
	}
	gates := func(of []int) {
		for _, k := range of {
			visit(gateKey(k))
		}
	}
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		if i < 0 {
			e := p.gates[gateKey(i)]
			all(e.holds)
			if e.by >= 0 && by == byAnything {
				visit(e.by)
			}
			return
		}
		n := p.nodes[i]
		all(n.prerequisites)
		gates(n.gates)
		if by == byPrerequisites {
			return
		}
		all(n.holds)
		gates(n.holdGates)
		if by == byEdges {
			return
		}
		for _, w := range n.waits {
			if w.how != waitCanceled && (by == byAnything || w.helps(n)) {
				all(w.targets)
			}
		}
	}
	all(targets)
	return seen
}

// A cause is one way in which a node or a gate may fail: root is the node or gate where the
// failure began, own the one whose error it carries, and skipped whether that says that
// something was skipped.
type cause struct {
	root, own int
	skipped   bool
}

// A verdict is how a node or a gate must end. A failure may have one of several causes,
// because the first one to happen counts.
type verdict struct {
	built  bool // the body that launches it runs
	ran    bool // its own body runs
	causes map[cause]bool

	waits   []wait // what the body gets round to
	holding bool
}

func (v *verdict) failed() bool { return len(v.causes) > 0 }

// judge returns how the node or gate i must end.
func (p *plan) judge(i int) *verdict {
	v := p.start(i)
	if v.causes != nil {
		return v
	}
	v.causes = map[cause]bool{}
	if !v.built {
		return v
	}
	if i < 0 {
		e := p.gates[gateKey(i)]
		if e.fail {
			v.causes[cause{root: i, own: i}] = true
			return v
		}
		p.inherit(v, e.holds)
		return v
	}
	n := p.nodes[i]
	if !v.ran {
		for _, q := range slices.Concat(n.prerequisites, keys(n.gates)) {
			for c := range p.judge(q).causes {
				v.causes[cause{root: c.root, own: c.own, skipped: true}] = true
			}
		}
		if !v.failed() || n.always { // the thread has quit
			v.causes = map[cause]bool{{root: i, own: i}: true}
		}
		return v
	}
	v.holding = n.holdsFirst
	for _, w := range n.waits {
		v.waits = append(v.waits, w)
		if !w.pass || w.how == waitCanceled {
			continue
		}
		if first := p.firstFailed(w.targets); first != nil {
			for c := range first.causes {
				v.causes[cause{root: i, own: c.own, skipped: c.skipped}] = true
			}
			return v
		}
	}
	v.holding = true
	if n.fail != failNot {
		v.causes[cause{root: i, own: i}] = true
		return v
	}
	p.inherit(v, slices.Concat(n.holds, keys(n.holdGates)))
	return v
}

// start returns a verdict that says only whether i is built and runs.
func (p *plan) start(i int) *verdict {
	if v := p.verdicts[i]; v != nil {
		return v
	}
	v := &verdict{built: true}
	p.verdicts[i] = v
	if i < 0 {
		return v
	}
	n := p.nodes[i]
	v.built = n.parent < 0 || p.start(n.parent).ran
	v.ran = v.built && n.pin != pinDead
	for _, q := range slices.Concat(n.prerequisites, keys(n.gates)) {
		if p.judge(q).failed() && !n.always {
			v.ran = false
		}
	}
	return v
}

func (p *plan) inherit(v *verdict, from []int) {
	for _, q := range from {
		maps.Copy(v.causes, p.judge(q).causes)
	}
}

// firstFailed returns the verdict of the first of the targets that fails, or nil.
func (p *plan) firstFailed(targets []int) *verdict {
	for _, q := range targets {
		if v := p.judge(q); v.failed() {
			return v
		}
	}
	return nil
}

func keys(gates []int) (all []int) {
	for _, k := range gates {
		all = append(all, gateKey(k))
	}
	return all
}

// before returns what must have ended before the body of node i begins, by transitivity:
// nodes, and gates as gateKey.
func (p *plan) before(i int) []int {
	seen := map[int]bool{}
	var visit func(all []int)
	add := func(q int) {
		if seen[q] {
			return
		}
		seen[q] = true
		if q < 0 {
			visit(p.gates[gateKey(q)].holds)
			return
		}
		n, v := p.nodes[q], p.judge(q)
		visit(n.prerequisites)
		visit(keys(n.gates))
		for _, w := range v.waits {
			if w.how != waitCanceled {
				visit(w.targets)
			}
		}
		if v.ran && v.holding {
			visit(n.holds)
			visit(keys(n.holdGates))
		}
	}
	visit = func(all []int) {
		for _, q := range all {
			add(q)
		}
	}
	n := p.nodes[i]
	visit(n.prerequisites)
	visit(keys(n.gates))
	return slices.Collect(maps.Keys(seen))
}

// ownError is what a node or gate fails with that fails by an error.
type ownError int

func (e ownError) Error() string { return fmt.Sprintf("failure of %d", int(e)) }

// panicked is what a body panics with that does not panic with an error.
type panicked int

// check returns an error unless err is as the verdict says.
func (p *plan) check(v *verdict, err error) error {
	if !v.failed() {
		if err != nil {
			return fmt.Errorf("failed with %q, should have succeeded", err)
		}
		return nil
	}
	for c := range v.causes {
		if p.isOwn(err, c.own) && errors.Is(err, graphevent.ErrSkipped) == c.skipped {
			return nil
		}
	}
	return fmt.Errorf("ended with %v, should have failed by one of %v", err,
		slices.Collect(maps.Keys(v.causes)))
}

// String prints the plan for people.
func (p *plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"%d workers, foreground %d, parkGo %v, threads %v, drain %v, %d rounds of %d, %v from seed %d, odds %+v\n",
		p.workers, p.foreground, p.parkGo, p.threads, p.drain, p.rounds, p.copies, p.shape, p.seed,
		p.odds)
	for _, n := range p.nodes {
		fmt.Fprintf(&b, "  %+v\n", *n)
	}
	for k, e := range p.gates {
		fmt.Fprintf(&b, "  gate %d: %+v\n", gateKey(k), *e)
	}
	fmt.Fprintf(&b, "  outside %v", p.outside)
	return b.String()
}
