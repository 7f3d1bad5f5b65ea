package modelcheck

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-go/heddle/internal/dev/race"
)

// A verb is what an instruction of a random program does.
type verb uint8

const (
	doLoad verb = iota
	doStore
	doSwap
	doCAS
	doAdd
	doAnd
	doOr
	doPointerLoad
	doPointerStore
	doPointerSwap
	doPointerCAS
	doWait
	doWaitLimit
	doWake
	doNow
	doChoose
	doStart    // start thread a
	doSpin     // until the word holds a
	doPatience // the same, but give up
	doNothing  // an operation without a step
	doTry      // compare-and-swap, and give up the operation if it fails
	doLoop     // load and compare-and-swap until it succeeds
	verbs
)

var verbNames = [verbs]string{
	"load", "store", "swap", "cas", "add", "and", "or", "pload", "pstore", "pswap", "pcas",
	"wait", "waitlimit", "wake", "now", "choose", "start", "spin", "patience", "nothing", "try",
	"loop",
}

// An instruction of a random program.
type instruction struct {
	do          verb
	word        uint8
	a, b        uint32
	first, last bool // of an operation of a history
}

// A program is some threads of instructions on some words. The set-up starts the first few;
// the others are started by doStart, each by a thread before it.
type program struct {
	threads [][]instruction
	roots   int
	timers  Timers
	spin    int
}

func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "timers %d, spin %d\n", p.timers, p.spin)
	for i, th := range p.threads {
		started := ""
		if i >= p.roots {
			started = " (by another)"
		}
		fmt.Fprintf(&b, "%s%s:", name(i), started)
		for _, in := range th {
			if in.first {
				b.WriteString(" {")
			}
			fmt.Fprintf(&b, " %s(w%d,%d,%d)", verbNames[in.do], in.word, in.a, in.b)
			if in.last {
				b.WriteString(" }")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// maxWords is the number of words of each type.
const maxWords = 3

// randomProgram draws 2 to 4 threads that together have at most size instructions.
func randomProgram(r *rand.Rand, size int) *program {
	p := &program{roots: 2 + r.IntN(2), spin: 1, timers: Timers(r.IntN(3))}
	p.threads = make([][]instruction, p.roots+r.IntN(5-p.roots))
	allowed := []verb{doLoad, doLoad, doStore, doStore, doSwap, doCAS, doCAS, doAdd, doAnd, doOr}
	some := func(chance int, v ...verb) {
		if r.IntN(chance) == 0 {
			allowed = append(allowed, v...)
		}
	}
	some(2, doWait, doWait, doWake, doWake)
	some(4, doWaitLimit, doWaitLimit, doWake, doNow)
	some(3, doChoose)
	some(3, doPointerLoad, doPointerStore, doPointerSwap, doPointerCAS, doPointerCAS)
	some(3, []verb{doSpin, doPatience}[r.IntN(2)])
	some(4, doNothing)
	some(3, doTry, doTry, doLoop)
	words := 1 + r.IntN(maxWords)
	for range 2 + r.IntN(size-1) {
		i := r.IntN(len(p.threads))
		in := instruction{do: allowed[r.IntN(len(allowed))], word: uint8(r.IntN(words)),
			a: uint32(r.IntN(3)), b: uint32(r.IntN(3))}
		if in.do == doPatience {
			p.spin = 100 // who may stop spinning must be let spin
		}
		p.threads[i] = append(p.threads[i], in)
	}
	for i := p.roots; i < len(p.threads); i++ {
		by := r.IntN(i)
		at := r.IntN(len(p.threads[by]) + 1)
		p.threads[by] = append(p.threads[by][:at],
			append([]instruction{{do: doStart, a: uint32(i)}}, p.threads[by][at:]...)...)
	}
	for _, th := range p.threads {
		for at := 0; at < len(th) && r.IntN(2) == 0; { // operations, with or without a gap between
			from := at + r.IntN(min(2, len(th)-at))
			to := from + r.IntN(len(th)-from)
			th[from].first, th[to].last = true, true
			at = to + 1
		}
	}
	return p
}

// orders returns in how many ways the instructions can be ordered, at least about.
func (p *program) orders() int {
	n, all := 1, 0
	for _, th := range p.threads {
		for k := range th {
			all++
			if n = n * all / (k + 1); n > 1<<30 {
				return n
			}
		}
	}
	return n
}

// A tester runs programs and gathers what their executions come to.
type tester struct {
	e       *Engine
	p       *program
	targets [maxWords]int

	words    [maxWords]Uint32
	pointers [maxWords]Pointer[int]
	threads  [MaxThreads]threadState
	buf      []byte
	outcomes map[string]int
}

// A threadState is what a thread of a random program has seen.
type threadState struct {
	regs  []uint32
	calls [][2]int64
}

func newTester() *tester {
	m := &tester{}
	m.e = NewEngine(Config{})
	return m
}

func (m *tester) pointer(v uint32) *int {
	if v == 0 {
		return nil
	}
	return &m.targets[v]
}

func (m *tester) pointerValue(p *int) uint32 {
	for v := range uint32(maxWords) {
		if m.pointer(v) == p {
			return v
		}
	}
	panic("a pointer from nowhere")
}

func one(b bool) uint32 { return uint32(bit64(b)) }

func (m *tester) run(id int) {
	s := &m.threads[id]
	inside, gaveUp := false, false // of an operation
	for i := range m.p.threads[id] {
		in := &m.p.threads[id][i]
		if gaveUp {
			gaveUp = !in.last
			continue
		}
		w, p := &m.words[in.word], &m.pointers[in.word]
		if in.first {
			inside = true
			OpBegin()
		}
		switch in.do {
		case doLoad:
			s.reg(w.Load())
		case doStore:
			w.Store(in.a)
		case doSwap:
			s.reg(w.Swap(in.a))
		case doCAS:
			s.reg(one(w.CompareAndSwap(in.a, in.b)))
		case doAdd:
			s.reg(w.Add(in.a))
		case doAnd:
			s.reg(w.And(in.a))
		case doOr:
			s.reg(w.Or(in.a))
		case doPointerLoad:
			s.reg(m.pointerValue(p.Load()))
		case doPointerStore:
			p.Store(m.pointer(in.a))
		case doPointerSwap:
			s.reg(m.pointerValue(p.Swap(m.pointer(in.a))))
		case doPointerCAS:
			s.reg(one(p.CompareAndSwap(m.pointer(in.a), m.pointer(in.b))))
		case doWait:
			s.reg(one(FutexWait(w, in.a, -1)))
		case doWaitLimit:
			s.reg(one(FutexWait(w, in.a, int64(in.b))))
		case doWake:
			s.reg(uint32(FutexWake(w, 1+int(in.a))))
		case doNow:
			s.reg(uint32(Now()))
		case doChoose:
			s.reg(uint32(Choose(2)))
		case doStart:
			Go(func() { m.run(int(in.a)) })
		case doSpin:
			for w.Load() != in.a {
				Yield()
			}
		case doTry:
			if !w.CompareAndSwap(in.a, in.b) && inside {
				gaveUp = true
			}
		case doLoop:
			for {
				if v := w.Load(); w.CompareAndSwap(v, v+1) {
					s.reg(v)
					break
				}
			}
		case doPatience:
			for range 2 {
				if w.Load() == in.a {
					s.reg(9)
					break
				}
				Yield()
			}
		}
		if in.last || gaveUp {
			inside, gaveUp = false, gaveUp && !in.last
			began, ended := OpEnd()
			s.calls = append(s.calls, [2]int64{began, ended})
		}
	}
}

func (s *threadState) reg(v uint32) { s.regs = append(s.regs, v) }

// note counts an outcome: the words, what was read, and which operations preceded which.
func (m *tester) note(end byte) {
	b := append(m.buf[:0], end)
	for i := range m.words {
		b = binary.AppendUvarint(b, uint64(m.words[i].v.Load()))
		b = append(b, byte('0'+m.pointerValue(m.pointers[i].v.Load())))
	}
	for i := range m.p.threads {
		s := &m.threads[i]
		b = append(b, ' ')
		for _, v := range s.regs {
			b = binary.AppendUvarint(b, uint64(v))
		}
		b = append(b, byte('A'+len(s.calls)))
		for _, c := range s.calls {
			for j := range m.p.threads {
				precedes := byte('0')
				for _, d := range m.threads[j].calls {
					if i != j && c[1] < d[0] {
						precedes++
					}
				}
				b = append(b, precedes)
			}
		}
	}
	m.buf = b
	if _, ok := m.outcomes[string(b)]; !ok {
		m.outcomes[string(b)] = 0
	}
	m.outcomes[string(b)]++
}

// explore returns the outcomes of all executions that x explores.
func (m *tester) explore(p *program, x Explorer, limit int) (map[string]int, Result) {
	m.p, m.outcomes = p, map[string]int{}
	m.e.cfg = Config{Spin: p.spin, Timers: p.timers, tolerate: func(f *Failure) bool {
		if f.Kind == KindDeadlock || f.Kind == KindLivelock {
			m.note(f.Kind[0])
			return true
		}
		return false
	}}.withDefaults()
	res := m.e.Explore(x, limit, nil, func() {
		m.words, m.pointers = [maxWords]Uint32{}, [maxWords]Pointer[int]{}
		for i := range m.threads {
			m.threads[i].regs, m.threads[i].calls = m.threads[i].regs[:0], m.threads[i].calls[:0]
		}
		for i := range p.roots {
			m.e.Thread(func() { m.run(i) })
		}
		if m.e.Run() {
			m.note('e')
		}
	})
	return m.outcomes, res
}

// fromEnvironment returns a number that a longer run of the self-test may set.
func fromEnvironment(t *testing.T, key string, otherwise int) int {
	s := os.Getenv(key)
	if s == "" {
		return otherwise
	}
	v, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return v
}

// sizes are the largest number of instructions of a random program, and of executions of one
// whose outcomes are to be known.
const (
	programSize   = 9
	programOrders = 600
)

// compare explores a program in full and by DPOR, and returns how the outcomes differ. It is
// false for programs that are too large to know.
func (m *tester) compare(p *program) (full, part Result, outcomes int, diff string, ok bool) {
	if p.orders() > programOrders {
		return full, part, 0, "", false
	}
	want, full := m.explore(p, NewDepthFirst(Unbounded), programOrders)
	if full.Failure != nil {
		return full, part, 0, fmt.Sprintf("depth-first: %+v", *full.Failure), true
	}
	if !full.Complete {
		return full, part, 0, "", false
	}
	got, part := m.explore(p, NewDPOR(), 100*programOrders)
	if part.Failure != nil {
		return full, part, 0, fmt.Sprintf("DPOR: %+v", *part.Failure), true
	}
	diff = difference(want, got)
	if !part.Complete {
		diff += "\nDPOR has no end"
	}
	return full, part, len(want), diff, true
}

// smaller returns the programs that lack one instruction, or one mark of an operation.
func (p *program) smaller() (all []*program) {
	for i, th := range p.threads {
		for k := range th {
			drop := func(change func(th []instruction) []instruction) {
				q := *p
				q.threads = append([][]instruction(nil), p.threads...)
				q.threads[i] = change(append([]instruction(nil), th...))
				all = append(all, &q)
			}
			if !th[k].first && !th[k].last {
				drop(func(th []instruction) []instruction { return append(th[:k], th[k+1:]...) })
			}
			if th[k].first {
				drop(func(th []instruction) []instruction {
					th[k].first = false
					for j := k; ; j++ {
						if th[j].last {
							th[j].last = false
							return th
						}
					}
				})
			}
		}
	}
	return all
}

// shrink returns a small program of which the outcomes differ as well.
func (m *tester) shrink(p *program) (*program, string) {
	_, _, _, diff, _ := m.compare(p)
	for again := true; again; {
		again = false
		for _, q := range p.smaller() {
			if _, _, _, d, ok := m.compare(q); ok && d != "" {
				p, diff, again = q, d, true
				break
			}
		}
	}
	return p, diff
}

// TestDPORFindsWhatDepthFirstFinds holds the reduction to what it reduces, on random programs;
// MODELCHECK_SELFTEST and MODELCHECK_SEED are for longer runs.
func TestDPORFindsWhatDepthFirstFinds(t *testing.T) {
	n := 3000
	if testing.Short() || race.Enabled {
		n /= 10
	}
	n = fromEnvironment(t, "MODELCHECK_SELFTEST", n)
	seed := fromEnvironment(t, "MODELCHECK_SEED", 1)
	m := newTester()
	defer m.e.Close()
	var all, reduced, pruned, programs, outcomes int
	for i := 0; programs < n; i++ {
		p := randomProgram(rand.New(rand.NewPCG(uint64(seed), uint64(i))), programSize)
		full, part, out, diff, ok := m.compare(p)
		if !ok {
			continue
		}
		if diff != "" {
			small, why := m.shrink(p)
			t.Fatalf(
				"program %d of seed %d, the %dth that was compared:\n%s%d executions of %d: %s\nsmaller:\n%s%s",
				i, seed, programs, p, part.Executions, full.Executions, diff, small, why)
		}
		programs++
		all, reduced, pruned, outcomes = all+full.Executions, reduced+part.Executions,
			pruned+part.Pruned, outcomes+out
	}
	t.Logf("%d programs, %d outcomes; depth-first %d executions, DPOR %d and %d abandoned",
		programs, outcomes, all, reduced, pruned)
}

func difference(want, got map[string]int) string {
	var d []string
	for k := range want {
		if got[k] == 0 {
			d = append(d, fmt.Sprintf("lost %q", k))
		}
	}
	for k := range got {
		if want[k] == 0 {
			d = append(d, fmt.Sprintf("invented %q", k))
		}
	}
	sort.Strings(d)
	return strings.Join(d, "\n")
}
