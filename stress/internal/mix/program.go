package mix

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Program mixes everything and cannot wait for ever: by construction, so that a hang is a
// fault of the system. The rules:
//
//  1. Whatever a node depends on, waits for in its body, or is held open by, is an earlier node, or
//     a child that its body has launched before. A manual event stands after the node that triggers
//     it in the list, and is triggered by a task that always runs in case that node does not.
//  2. A node that goes through gates keeps its places while its body runs and while it is held
//     open. So it waits only for nodes that depend on no gate, however indirectly; its
//     prerequisites are free. While a body has a unit of the semaphore that bodies take, it waits
//     for nothing.
//  3. A body on a named thread waits only for nodes that depend on no gate; and if they depend on
//     nodes of a thread, then of its own one alone, and on no wait that the system cannot see.
//     (thread.md of taskgraph says what a wait on a thread does not reach.) A wait without the
//     body's Context is one that the system sees where OS threads have an id.
//  4. With a bound, tasks are launched in the order of the list, and no body ends its goroutine: it
//     may be run by the goroutine that launches it.
//  5. On a named thread no body ends its goroutine. Elsewhere it takes those along that wait below
//     it.
type Program struct {
	seed     uint64
	workers  int
	threads  int
	parkGo   bool
	blocking int   // Options.MaxBlocking
	inOrder  bool  // each node is launched before the next is built
	launches []int // else: the order of the launches
	fails    int   // one body of so many
	goexit   bool  // bodies may end their goroutine
	maxTasks int
	full     taskgraph.FullPolicy
	ctxs     int
	gates    []mixGate
	shutdown int // the node before which a shutdown begins; -1: none
	nodes    []mixNode
}

type mixGate struct {
	kind   string // pipe, limiter, semaphore
	places int
}

type mixRef struct {
	node  int
	which int // 0: its event; else one more than the number of a case
}

type mixNode struct {
	kind  string // task, graph, manual, delay, every, all, any, when
	pre   []mixRef
	by    int     // of a manual event: the node that triggers it
	micro int     // of a delay or a period
	graph [][]int // of a graph: the predecessors of each task
	bad   int     // of a graph: the task that fails, or -1

	call   string // do, try, run, job, async
	fail   string // see mixEnd; of a manual event: error
	prio   taskgraph.Priority
	name   bool
	always bool
	near   int // 1 + worker
	inline bool
	where  int // 0 workers, 1 or 2 a named thread, -1 a thread of its own
	ctx    int // 1 + number
	gates  []int
	cases  int
	choose []int
	rounds int
	acts   []mixAct
	unseen bool // nobody looks at its failure

	// What waiting for it may take, see the rules.
	gated    bool
	onThread uint // bits of threads
	blind    bool // something in it waits unseen
}

type mixAct struct {
	kind  string
	refs  []mixRef
	mode  string
	n     int
	fail  string
	prio  taskgraph.Priority
	flags int
}

// String shows all of the program, a line for each node.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"seed %d workers %d threads %d parkGo %v blocking %d inOrder %v launches %v goexit %v maxTasks %d full %d ctxs %d gates %v shutdown %d\n",
		p.seed, p.workers, p.threads, p.parkGo, p.blocking, p.inOrder, p.launches, p.goexit,
		p.maxTasks, p.full, p.ctxs, p.gates, p.shutdown)
	for i := range p.nodes {
		n := &p.nodes[i]
		fmt.Fprintf(&b, "%3d %+v\n", i, *n)
	}
	return b.String()
}

// A mixDraw draws programs.
type mixDraw struct {
	r *rand.Rand
	p *Program
}

func (d mixDraw) upTo(n int) int        { return d.r.IntN(n + 1) }
func (d mixDraw) one(in int) bool       { return d.r.IntN(in) == 0 }
func (d mixDraw) of(s ...string) string { return s[d.r.IntN(len(s))] }

func (d mixDraw) prio() taskgraph.Priority { return taskgraph.Priority(d.upTo(4)) }

func (d mixDraw) failure(onThread bool) string {
	switch {
	case !d.one(d.p.fails):
		return ""
	case d.p.goexit && !onThread:
		return d.of("error", "panic", "goexit", "fork", "forkLeft", "forkExit")
	}
	return d.of("error", "panic", "fork", "forkLeft")
}

// refs draws up to n references to earlier nodes that may be waited for.
func (d mixDraw) refs(n, before int, may func(*mixNode) bool) []mixRef {
	var refs []mixRef
	if before == 0 {
		return nil
	}
	for range n {
		// Near ones rather than far ones.
		j := before - 1 - min(d.upTo(before-1), d.upTo(before-1))
		m := &d.p.nodes[j]
		if m.unseen || !may(m) {
			continue
		}
		r := mixRef{node: j}
		if m.cases > 0 && d.one(2) {
			r.which = 1 + d.upTo(m.cases-1)
		}
		refs = append(refs, r)
	}
	return refs
}

// depends notes that waiting for n may take waiting for refs.
func (d mixDraw) depends(n *mixNode, refs []mixRef) {
	for _, r := range refs {
		m := &d.p.nodes[r.node]
		n.gated = n.gated || m.gated
		n.onThread |= m.onThread
		n.blind = n.blind || m.blind
	}
}

// MaxLength is the greatest length of a Program that is useful; the least is 1.
const MaxLength = 60

// Draw draws a program of that many nodes, during which the system is shut down, or not. A
// shorter one of the same seed is nearly the beginning of a longer one.
func Draw(n int, seed uint64, shutdown bool) *Program {
	p := &Program{shutdown: -1, seed: seed}
	d := mixDraw{rand.New(rand.NewPCG(p.seed, 0)), p}
	p.workers = []int{1, 1, 1, 2, 2, 2, 4, 4, 16, 64}[d.upTo(9)]
	p.fails = []int{6, 25, 100}[d.upTo(2)]
	p.threads = max(0, d.upTo(4)-2)
	p.parkGo, p.blocking = d.one(8), d.upTo(3)-1
	p.ctxs = d.upTo(2)
	for range d.upTo(3) {
		p.gates = append(p.gates, mixGate{d.of("pipe", "limiter", "semaphore"), 1 + d.upTo(2)})
	}
	p.inOrder = d.one(2)
	if d.one(4) {
		p.inOrder = true
		p.maxTasks = 2 + d.upTo(20)
		p.full = taskgraph.FullPolicy(d.upTo(2))
	} else {
		p.goexit = d.one(3)
	}
	p.nodes = make([]mixNode, n)
	for i := range p.nodes {
		d.node(i)
	}
	if !p.inOrder {
		p.launches = d.r.Perm(n)
	}
	if shutdown {
		p.shutdown = d.upTo(n - 1)
	}
	return p
}

func (d mixDraw) node(i int) {
	p, n := d.p, &d.p.nodes[i]
	n.bad, n.by, n.rounds = -1, -1, 1
	any := func(*mixNode) bool { return true }
	n.kind = d.of("every", "task", "task", "task", "task", "task", "task", "task", "task", "task",
		"task", "graph", "manual", "delay", "all", "any", "when")
	if n.kind == "any" || n.kind == "manual" {
		n.pre = d.refs(1+d.upTo(3), i, any)
		if len(n.pre) == 0 || n.kind == "manual" && p.nodes[n.pre[0].node].kind != "task" {
			n.kind, n.pre = "task", nil
		}
	}
	switch n.kind {
	case "manual":
		n.pre = n.pre[:1]
		n.by = n.pre[0].node
		n.pre[0].which = 0
		if d.one(5) {
			n.fail = "error"
		}
		d.depends(n, n.pre)
		n.blind = true // a wait on a thread does not see who triggers it
		return
	case "any":
		d.depends(n, n.pre)
		return
	case "delay", "every":
		n.micro = 1 + d.upTo(50)
		n.rounds = 1 + d.upTo(3)
		return
	case "all", "when":
		n.pre = d.refs(d.upTo(6), i, any)
		d.depends(n, n.pre)
		return
	case "graph":
		n.pre = d.refs(d.upTo(2), i, any)
		d.depends(n, n.pre)
		d.drawGraph(n)
		return
	}
	n.pre = d.refs(d.upTo(3)*d.upTo(2), i, any)
	n.call = d.of("do", "try", "run", "run", "run", "run", "run", "job", "async")
	if d.one(12) && p.maxTasks == 0 {
		// Alone, so that the failure is its own.
		n.pre, n.call, n.fail, n.unseen = nil, "try", d.of("error", "panic"), true
		return
	}
	if d.one(3) {
		n.prio = d.prio()
	}
	n.name = d.one(8)
	n.always = d.one(4)
	if d.one(8) {
		n.near = 1 + d.upTo(p.workers-1)
	}
	n.inline = d.one(8)
	switch {
	case p.threads > 0 && d.one(3):
		n.where = 1 + d.upTo(p.threads-1)
	case d.one(20):
		n.where = -1
	}
	if p.ctxs > 0 && d.one(4) {
		n.ctx = 1 + d.upTo(p.ctxs-1)
	}
	for g := range p.gates {
		if d.one(4) {
			n.gates = append(n.gates, g)
		}
	}
	n.fail = d.failure(n.where > 0)
	d.depends(n, n.pre)
	if n.where > 0 {
		n.onThread |= 1 << n.where
	}
	if n.call != "do" && n.call != "try" {
		if d.one(6) {
			n.cases = 1 + d.upTo(2)
			for k := range n.cases {
				if d.one(2) {
					n.choose = append(n.choose, k)
				}
			}
		}
		// a unit is for one call of the body
		if n.call != "async" && d.one(8) && !d.hasSemaphore(n) {
			n.rounds = 1 + d.upTo(4)
		}
		for range d.upTo(5) {
			d.act(i)
		}
	} else if n.fail != "" && n.fail != "goexit" { // no Context, no forks
		n.fail = "panic"
	}
	if len(n.gates) > 0 {
		n.gated = true
	}
}

func (d mixDraw) hasSemaphore(n *mixNode) bool {
	for _, g := range n.gates {
		if d.p.gates[g].kind == "semaphore" {
			return true
		}
	}
	return false
}

func (d mixDraw) drawGraph(n *mixNode) {
	for k := range 1 + d.upTo(7) {
		var preds []int
		for j := range k {
			if d.one(3) {
				preds = append(preds, j)
			}
		}
		n.graph = append(n.graph, preds)
	}
	if d.one(4) {
		n.bad = d.upTo(len(n.graph) - 1)
	}
}

// act draws one thing that the body of the node i does.
func (d mixDraw) act(i int) {
	n := &d.p.nodes[i]
	may := func(m *mixNode) bool { // rules 2 and 3
		switch {
		case m.gated && (len(n.gates) > 0 || n.where > 0):
			return false
		case n.where > 0 && m.onThread != 0:
			return m.onThread == 1<<n.where && !m.blind
		}
		return true
	}
	a := mixAct{n: d.upTo(5), flags: d.upTo(63)}
	a.kind = d.of("spawn", "spawn", "nest", "nest", "task", "task", "hold", "wait", "wait", "wait",
		"wait", "fork", "fork", "for",
		"for", "unit", "cancel", "graph", "promote", "delay", "async", "retained", "again")
	switch a.kind {
	case "spawn", "nest", "async", "retained":
		a.fail = d.failure(n.where > 0)
	case "task":
		a.fail = d.failure(n.where > 0)
		a.refs = d.refs(d.upTo(3), i, may)
		a.prio = d.prio()
	case "hold", "again":
		a.refs = d.refs(d.upTo(2), i, may)
	case "promote":
		a.refs = d.refs(1+d.upTo(2), i, func(*mixNode) bool { return true })
		a.prio = d.prio()
	case "wait":
		a.mode = d.of("ctx", "ctx", "ctx", "own", "canEnd", "cut", "any", "plain", "plainAny",
			"blockPlain", "blockChan", "blockCtx")
		m := may
		switch a.mode {
		case "plain", "plainAny", "blockPlain", "blockChan":
			unseen := a.mode == "blockChan" || !osthread.HasID
			if n.where <= 0 || unseen {
				n.blind = true
			}
			if n.where > 0 && unseen {
				m = func(m *mixNode) bool { return may(m) && m.onThread == 0 }
			}
		}
		a.refs = d.refs(1+d.upTo(3), i, m)
	case "graph":
		g := mixNode{bad: -1}
		d.drawGraph(&g)
		a.n = len(g.graph)
	case "unit":
		n.blind = true
	}
	if a.kind != "promote" {
		d.depends(n, a.refs)
	}
	if n.where > 0 && a.kind != "promote" {
		n.onThread |= 1 << n.where
	}
	n.acts = append(n.acts, a)
}
