package orchestra

// A Node is one thing to do.
type Node struct {
	Name string
	Run  func()
	// the nodes that must have run before, by their places in the plan; all before this one
	After []int
}

// A Plan is nodes in an order in which they can be run.
type Plan []Node

// add adds a node, and returns its place.
func (p *Plan) add(name string, run func(), after ...int) int {
	*p = append(*p, Node{name, run, after})
	return len(*p) - 1
}
