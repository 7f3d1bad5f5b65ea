package stress_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/stress"
)

// TestShapes checks what the generator promises, for every shape.
func TestShapes(t *testing.T) {
	for _, s := range stress.Shapes() {
		t.Run(s.String(), func(t *testing.T) {
			cases, nodes, edges, most := 0, 0, 0, 0
			rapid.Check(t, func(t *rapid.T) {
				d := s.Draw(t, 40)
				require.NoError(t, d.Check())
				require.LessOrEqual(t, len(d), 40)
				cases, nodes, edges, most = cases+1, nodes+len(d), edges+d.Edges(), max(most,
					d.Widest())
			})
			t.Logf("%d graphs, %d nodes, %d edges, most prerequisites of a node %d", cases, nodes,
				edges, most)
		})
	}
}

// TestDAG runs random graphs with everything that tasks can do, waits for them, and compares
// with what the plan says.
func TestDAG(t *testing.T) { testPlans(t, false) }

// TestDAGDrain does the same, but only Shutdown waits, and must name the failures.
func TestDAGDrain(t *testing.T) { testPlans(t, true) }

func testPlans(t *testing.T, drain bool) {
	systems := 5 // on which each plan runs
	if testing.Short() {
		systems = 1
	}
	var n struct {
		plans, runs, nodes, ran, failed, skipped, unbuilt, gates, waits, parks, spares,
		steals int
	}
	byWorkers := map[int]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlan(t, drain, 30)
		for range systems {
			st, err := p.do()
			if err != nil {
				t.Fatalf("%v\nplan: %v\n%+v", err, p, st)
			}
			n.runs += p.rounds * p.copies
			n.parks, n.spares, n.steals = n.parks+int(st.Parks), n.spares+int(st.Spares),
				n.steals+int(st.Steals)
		}
		byWorkers[p.workers]++
		n.plans, n.nodes, n.gates = n.plans+1, n.nodes+len(p.nodes), n.gates+len(p.gates)
		for i := range p.nodes {
			v := p.judge(i)
			n.waits += len(v.waits)
			switch {
			case !v.built:
				n.unbuilt++
			case !v.ran:
				n.skipped++
			case v.failed():
				n.failed++
				n.ran++
			default:
				n.ran++
			}
		}
	})
	t.Logf("%+v, by workers %v", n, byWorkers)
}
