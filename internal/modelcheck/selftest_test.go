package modelcheck

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// An instruction of a random program.
type instruction struct {
	do     string
	word   int
	a, b   uint32
	op     bool // begins an operation of a history
	endsOp bool
}

// A program is some threads of instructions on some words.
type program [][]instruction

func (p program) String() string {
	var b strings.Builder
	for i, th := range p {
		fmt.Fprintf(&b, "%s:", name(i))
		for _, in := range th {
			if in.op {
				b.WriteString(" {")
			}
			fmt.Fprintf(&b, " %s(w%d,%d,%d)", in.do, in.word, in.a, in.b)
			if in.endsOp {
				b.WriteString(" }")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

var instructions = []string{"load", "load", "store", "store", "swap", "cas", "cas", "add", "and", "or", "wait", "wake", "wake", "choose", "spawn", "spin"}

// randomProgram draws 2 or 3 threads whose steps in all are at most size.
func randomProgram(r *rand.Rand, size int) program {
	p := make(program, 2+r.IntN(2))
	instructions[len(instructions)-1] = []string{"spin", "patience"}[r.IntN(2)]
	words := 1 + r.IntN(2)
	for range 2 + r.IntN(size-1) {
		i := r.IntN(len(p))
		in := instruction{do: instructions[r.IntN(len(instructions))], word: r.IntN(words), a: uint32(r.IntN(3)), b: uint32(r.IntN(3))}
		p[i] = append(p[i], in)
	}
	for _, th := range p {
		if len(th) > 0 && r.IntN(2) == 0 {
			from := r.IntN(len(th))
			th[from].op = true
			th[from+r.IntN(len(th)-from)].endsOp = true
		}
	}
	return p
}

// A machine runs a program and gathers what each execution came to.
type machine struct {
	words    [2]Uint32
	regs     [MaxThreads][24]uint32
	n        [MaxThreads]int
	began    [MaxThreads]int64
	ended    [MaxThreads]int64
	spawned  [MaxThreads]bool
	outcomes map[string]int
}

func (m *machine) thread(e *Engine, id int, th []instruction) {
	reg := func(v uint32) {
		if m.n[id] < len(m.regs[id]) {
			m.regs[id][m.n[id]] = v
			m.n[id]++
		}
	}
	for _, in := range th {
		w := &m.words[in.word]
		if in.op {
			OpBegin()
		}
		switch in.do {
		case "load":
			reg(w.Load())
		case "store":
			w.Store(in.a)
		case "swap":
			reg(w.Swap(in.a))
		case "cas":
			if w.CompareAndSwap(in.a, in.b) {
				reg(1)
			} else {
				reg(0)
			}
		case "add":
			reg(w.Add(in.a))
		case "and":
			reg(w.And(in.a))
		case "or":
			reg(w.Or(in.a))
		case "wait":
			FutexWait(w, in.a, -1)
			reg(7)
		case "wake":
			reg(uint32(FutexWake(w, 1+int(in.a))))
		case "choose":
			reg(uint32(Choose(2)))
		case "patience": // a loop that gives up
			for range 2 {
				if w.Load() == in.a {
					reg(9)
					break
				}
				Yield()
			}
		case "spin":
			for w.Load() != in.a {
				Yield()
			}
		case "spawn":
			if child := 4 + id; !m.spawned[id] {
				m.spawned[id] = true
				Go(func() {
					reg := m.words[in.word].Add(1)
					m.regs[child][0] = reg
					m.n[child] = 1
				})
			}
		}
		if in.endsOp {
			m.began[id], m.ended[id] = OpEnd()
		}
	}
}

// explore returns the outcomes of all executions that x explores.
func (p program) explore(x Explorer, limit int) (map[string]int, Result) {
	m := &machine{outcomes: map[string]int{}}
	var e *Engine
	outcome := func(end string) {
		var b strings.Builder
		fmt.Fprintf(&b, "%s w=%d,%d", end, m.words[0].v.Load(), m.words[1].v.Load())
		for i := range MaxThreads {
			fmt.Fprintf(&b, " %s%v", name(i), m.regs[i][:m.n[i]])
		}
		for i := range p {
			for j := range p {
				if i != j && m.ended[i] != 0 && m.ended[j] != 0 && m.ended[i] < m.began[j] {
					fmt.Fprintf(&b, " %s<%s", name(i), name(j))
				}
			}
		}
		m.outcomes[b.String()]++
	}
	spin := 1
	if strings.Contains(p.String(), "patience") {
		spin = 100 // who spins may stop, and must be seen to
	}
	e = NewEngine(Config{Spin: spin, tolerate: func(f *Failure) bool {
		if f.Kind == KindDeadlock || f.Kind == KindLivelock {
			outcome(string(f.Kind))
			return true
		}
		return false
	}})
	defer e.Close()
	res := e.Explore(x, limit, nil, func() {
		m.words = [2]Uint32{}
		m.n, m.began, m.ended = [MaxThreads]int{}, [MaxThreads]int64{}, [MaxThreads]int64{}
		m.spawned = [MaxThreads]bool{}
		for i := range p {
			e.Thread(func() { m.thread(e, i, p[i]) })
		}
		if e.Run() {
			outcome("end")
		}
	})
	return m.outcomes, res
}

// scale returns the number of random programs of a self-test.
func scale(t *testing.T, n int) int {
	if s := os.Getenv("MODELCHECK_SELFTEST"); s != "" {
		v, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("MODELCHECK_SELFTEST: %v", err)
		}
		return v
	}
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestDPORFindsWhatDepthFirstFinds holds the reduction to what it reduces.
func TestDPORFindsWhatDepthFirstFinds(t *testing.T) {
	seed := uint64(1)
	if s := os.Getenv("MODELCHECK_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	var all, reduced, pruned, programs, outcomes int
	for i := 0; programs < scale(t, 3000); i++ {
		p := randomProgram(rand.New(rand.NewPCG(seed, uint64(i))), 7)
		want, full := p.explore(NewDepthFirst(Unbounded), 700)
		if full.Failure != nil {
			t.Fatalf("program %d of seed %d: %+v\n%s", i, seed, full.Failure, p)
		}
		if !full.Complete {
			continue // too large to know
		}
		got, part := p.explore(NewDPOR(), 0)
		if part.Failure != nil {
			t.Fatalf("program %d of seed %d: %+v\n%s", i, seed, part.Failure, p)
		}
		programs++
		all, reduced, pruned, outcomes = all+full.Executions, reduced+part.Executions, pruned+part.Pruned, outcomes+len(want)
		if d := difference(want, got); d != "" {
			t.Fatalf("program %d of seed %d:\n%s\n%d executions of %d: %s", i, seed, p, part.Executions, full.Executions, d)
		}
	}
	t.Logf("%d programs, %d outcomes; depth-first %d executions, DPOR %d and %d abandoned", programs, outcomes, all, reduced, pruned)
}

func difference(want, got map[string]int) string {
	var d []string
	for k := range want {
		if got[k] == 0 {
			d = append(d, "lost "+k)
		}
	}
	for k := range got {
		if want[k] == 0 {
			d = append(d, "invented "+k)
		}
	}
	sort.Strings(d)
	return strings.Join(d, "\n")
}
