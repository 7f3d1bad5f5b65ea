package profile

import (
	"cmp"
	"slices"
	"time"
)

// A node is a strand, which is a part of a body that computes or blocks without launching,
// completing or waiting for anything; or a point that takes no time, such as the completion of a
// task. Edges lead from what must be over to what cannot begin before.
type node struct {
	task    int32 // whose time it is, or none
	lane    int32 // that ran it, or none
	blocked bool  // inside of Context.Blocking: it takes time but no processor
	strand  bool
	begins  bool // it is the first of a body
	resumes bool // it goes on with a body after a wait
	dur     time.Duration
	at      time.Duration // when it happened, or as near as is known
}

const none = -1

// A dag is nodes and edges, the successors of node n being next[first[n]:first[n+1]].
type dag struct {
	nodes       []node
	first, next []int32
	degree      []int32 // how many edges lead to each node
	order       []int32 // every node after those from which edges lead to it
	ignored     int     // edges that were left out because they close a circle
}

type edge struct{ from, to int32 }

// newDag sorts nodes by what they need. Edges that close a circle, as only lost or inexact records
// can make them, are left out.
func newDag(nodes []node, edges []edge) *dag {
	d := &dag{nodes: nodes}
	for {
		d.link(edges)
		if d.sort() {
			return d
		}
		place := make([]int32, len(nodes))
		for i, n := range d.order {
			place[n] = int32(i)
		}
		kept := edges[:0]
		for _, e := range edges {
			if place[e.from] < place[e.to] {
				kept = append(kept, e)
			}
		}
		d.ignored += len(edges) - len(kept)
		edges = kept
	}
}

func (d *dag) link(edges []edge) {
	d.first = make([]int32, len(d.nodes)+1)
	d.next = make([]int32, len(edges))
	d.degree = make([]int32, len(d.nodes))
	for _, e := range edges {
		d.first[e.from+1]++
		d.degree[e.to]++
	}
	for i := range d.nodes {
		d.first[i+1] += d.first[i]
	}
	at := slices.Clone(d.first)
	for _, e := range edges {
		d.next[at[e.from]] = e.to
		at[e.from]++
	}
}

func (d *dag) after(n int32) []int32 { return d.next[d.first[n]:d.first[n+1]] }

// sort orders the nodes and reports whether there is no circle. In a circle, what happened first
// goes first.
func (d *dag) sort() bool {
	degree := slices.Clone(d.degree)
	d.order = make([]int32, 0, len(d.nodes))
	for n := range d.nodes {
		if degree[n] == 0 {
			d.order = append(d.order, int32(n))
		}
	}
	var byTime []int32
	whole := true
	for done := 0; ; {
		for ; done < len(d.order); done++ {
			for _, n := range d.after(d.order[done]) {
				if degree[n]--; degree[n] == 0 {
					d.order = append(d.order, n)
				}
			}
		}
		if len(d.order) == len(d.nodes) {
			return whole
		}
		if whole {
			whole = false
			byTime = d.byTime()
		}
		for degree[byTime[0]] <= 0 {
			byTime = byTime[1:]
		}
		degree[byTime[0]] = 0
		d.order = append(d.order, byTime[0])
	}
}

func (d *dag) byTime() []int32 {
	all := make([]int32, len(d.nodes))
	for n := range all {
		all[n] = int32(n)
	}
	slices.SortStableFunc(all, func(a, b int32) int {
		return cmp.Compare(d.nodes[a].at, d.nodes[b].at)
	})
	return all
}

// heads returns for each node the longest path that ends before it, and the longest of all.
func (d *dag) heads(dur func(int32) time.Duration) (heads []time.Duration, span time.Duration) {
	heads = make([]time.Duration, len(d.nodes))
	for _, n := range d.order {
		end := heads[n] + dur(n)
		span = max(span, end)
		for _, m := range d.after(n) {
			heads[m] = max(heads[m], end)
		}
	}
	return heads, span
}

// tails returns for each node the longest path that begins with it.
func (d *dag) tails() []time.Duration {
	tails := make([]time.Duration, len(d.nodes))
	for _, n := range slices.Backward(d.order) {
		longest := time.Duration(0)
		for _, m := range d.after(n) {
			longest = max(longest, tails[m])
		}
		tails[n] = longest + d.nodes[n].dur
	}
	return tails
}

// critical returns the nodes of a longest path; of several, that with the lowest numbers.
func (d *dag) critical(tails []time.Duration) (path []int32) {
	at := int32(none)
	for n := range d.nodes {
		if d.degree[n] == 0 && (at < 0 || tails[n] > tails[at]) {
			at = int32(n)
		}
	}
	for at >= 0 {
		path = append(path, at)
		best := int32(none)
		for _, m := range d.after(at) {
			if tails[at] == d.nodes[at].dur+tails[m] && (best < 0 || m < best) {
				best = m
			}
		}
		at = best
	}
	return path
}
