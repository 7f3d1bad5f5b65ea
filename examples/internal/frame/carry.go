package frame

import "github.com/heddle-go/heddle/examples/internal/engine/scene"

// A carry says which dependents hang on which island of the simulation. An island is solved by
// itself, so what hangs on its bodies can be updated as soon as that is done.
type carry struct {
	scene  *scene.Scene
	chains rows     // of dependents, by island
	bodies rows     // that have dependents, by island
	taken  []uint64 // by body: the frame in which it is one of those
	island []int32  // by chain; scratch
}

func newCarry(s *scene.Scene) carry {
	n := s.Objects.Len()
	return carry{
		scene: s, chains: newRows(s.World.Slots(), n), bodies: newRows(s.World.Slots(), n),
		taken: make([]uint64, s.World.Slots()), island: make([]int32, n),
	}
}

// find looks up where every chain hangs, once the islands are known.
func (c *carry) find() {
	s := c.scene
	n := s.Part.ChainCount()
	c.chains.begin(s.World.Islands())
	c.bodies.begin(s.World.Islands())
	for k := range n {
		first := &s.Part.Dependents[s.Part.Chains[k]]
		i := s.World.IslandOf(int(first.Body))
		c.island[k] = int32(i)
		c.chains.count(i)
		s.Bodies(first, func(b int32) {
			if c.taken[b] != s.Frame {
				c.taken[b] = s.Frame
				c.bodies.count(i)
			}
		})
	}
	c.chains.place()
	c.bodies.place()
	for k := range n {
		c.chains.add(int(c.island[k]), int32(k))
		s.Bodies(&s.Part.Dependents[s.Part.Chains[k]], func(b int32) {
			if c.taken[b] == s.Frame {
				c.taken[b] = s.Frame | once
				c.bodies.add(int(c.island[k]), b)
			}
		})
	}
}

// once marks a body that has been added.
const once = 1 << 63

// carries tells whether a body has dependents in this frame.
func (c *carry) carries(body int) bool { return c.taken[body] == c.scene.Frame|once }

// settle writes where the bodies are that something hangs on, of islands that have been solved.
func (c *carry) settle(lo, hi int) {
	for i := lo; i < hi; i++ {
		for _, b := range c.bodies.of(i) {
			c.scene.PostPhysics(int(b), int(b)+1)
		}
	}
}

// settleOthers writes where those are that belong to no island.
func (c *carry) settleOthers(lo, hi int) { outside(c.scene, lo, hi, c.scene.PostPhysics) }

// rows is a list of numbers for each of some rows, in one piece of memory.
type rows struct {
	start []int32
	list  []int32
}

func newRows(n, elements int) rows {
	return rows{make([]int32, n+2), make([]int32, elements)}
}

// begin empties n rows. Then every element is counted, and after place added.
func (r *rows) begin(n int) {
	r.start = r.start[:n+2]
	clear(r.start)
}

func (r *rows) count(i int) { r.start[i+2]++ }

func (r *rows) place() {
	for i := 2; i < len(r.start); i++ {
		r.start[i] += r.start[i-1]
	}
}

func (r *rows) add(i int, v int32) {
	r.list[r.start[i+1]] = v
	r.start[i+1]++
}

func (r *rows) of(i int) []int32 { return r.list[r.start[i]:r.start[i+1]] }
