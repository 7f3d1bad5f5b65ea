package dag

import (
	"bufio"
	"fmt"
	"io"
)

// A Drawing says how a graph is drawn in the DOT language.
type Drawing struct {
	Name, Caption string
	// Path is what is drawn red: a path of the graph.
	Path []int
	// Node returns the name of a node, a text beneath it, and attributes of DOT.
	Node func(node int) (name, text, attributes string)
	// Arrow, if not nil, returns attributes of an arrow.
	Arrow func(from, to int) (attributes string)
}

// Draw writes a drawing of the graph. Arrows go the way of the work: to a node from those that it
// comes after.
func (g Graph) Draw(w io.Writer, d Drawing) error {
	next := make(map[int]int, len(d.Path)) // on the path
	critical := make(map[int]bool, len(d.Path))
	for k, i := range d.Path {
		critical[i] = true
		if k > 0 {
			next[d.Path[k-1]] = i
		}
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "digraph %s {\n\tlabel=\"%s\";\n", d.Name, d.Caption)
	fmt.Fprint(b, "\trankdir=LR;\n\tnode [shape=box, style=filled, fillcolor=white];\n")
	names := make([]string, g.Nodes)
	for i := range g.Nodes {
		name, text, attributes := d.Node(i)
		names[i] = name
		fmt.Fprintf(b, "\t%q [label=\"%s\\n%s\"%s];\n", name, name, text,
			list(", ", "", attributes, red(critical[i])))
	}
	for i := range g.Nodes {
		for _, from := range g.After(i) {
			attributes := ""
			if d.Arrow != nil {
				attributes = d.Arrow(from, i)
			}
			to, ok := next[from]
			fmt.Fprintf(b, "\t%q -> %q%s;\n", names[from], names[i],
				list(" [", "]", attributes, red(ok && to == i)))
		}
	}
	fmt.Fprint(b, "}\n")
	return b.Flush()
}

// red returns the attributes of what is on the path.
func red(is bool) string {
	if is {
		return "color=red, penwidth=2"
	}
	return ""
}

// list puts what is there of two texts between others, with a comma between them.
func list(before, behind, a, b string) string {
	if a != "" && b != "" {
		a += ", "
	}
	if a+b == "" {
		return ""
	}
	return before + a + b + behind
}
