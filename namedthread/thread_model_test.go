//go:build modelcheck

package namedthread

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// A scene is what a thread does and what others do to it, a letter each. Who may do what:
//
//	owner   i, l  pump the main queue, the local one until idle
//	        u, v  pump the main queue, the local one until the next token is returned
//	        w, x  wait, naming the main queue, the local one, until the next flag is raised
//	        y     wait until the next flag is raised; the condition looks at it, and the first
//	              time then waits itself for the next flag but one
//	        z     wait until the next flag is raised; the condition looks at it and then pumps the
//	              main queue until idle
//	        g     wait until the next flag is raised; the condition looks at it and then runs what
//	              is posted as c and C, and nothing else
//	        f     pump the main queue until a time that does not come
//	        m, n  pump the main queue, the local one until the next flag is raised
//	        h     pump the main queue until the next flag is raised; the condition looks at it,
//	              and the first time then waits itself for the next flag but one
//	        j     pump the main queue until the next flag is raised; the condition looks at it and
//	              then runs what is posted as c and C
//	others  a, A  post to the main queue, normal, high
//	        b, B  post to the local queue, normal, high
//	        c, C  post to the main queue, normal, high, what raises the next flag; it is raised by
//	              itself if that is refused
//	        p     post to the main queue work that panics
//	        U     post to the main queue work that pumps the local one until the next token is
//	              returned; X, W: work that waits for the next flag, naming the local, the main
//	              queue; G: as g
//	        r     return a token, in the order in which they come in the scene
//	        s, S  raise a flag, two flags likewise, and then wake the thread; k: wake it for
//	              nothing
//	        t     raise a flag, and then post to the main queue, or wake the thread if that is
//	              refused
//	        e     wait until the owner is through with its letters, in one thread at most
//	        q     quit
//
// In the end the owner pumps until quit. Tokens and flags that nobody gives are given at once.
type scene struct {
	owner  string
	others []string
	polls  bool // the thread has a Poll, which pumps the local queue until idle
	// from 1 on its Poll waits the first time until the first flag is raised; 2: and then panics
	waits int
}

func (s scene) options(g *stage) (o Options) {
	if s.waits > 0 {
		first := true
		o.PollEvery = 10
		o.Poll = func(t *Thread) {
			if first {
				first = false
				t.await(QueueMain, g.flags[0].Load)
				g.locked(func() { g.ended = g.time })
				if s.waits == 2 {
					panic("poll")
				}
			}
		}
	}
	if s.polls {
		o.PollEvery = 10
		o.Poll = func(t *Thread) {
			if !t.pumping[QueueLocal] {
				t.serve(&pump{queue: QueueLocal, end: endIdle})
				g.locked(func() { g.ended = g.time })
			}
		}
	}
	return o
}

func (s scene) String() string { return s.owner + " with " + strings.Join(s.others, " | ") }

// A modelPost is one piece of work of a scene.
type modelPost struct {
	g         *stage
	told      bool
	by, n     int // the n-th of a thread
	q         Queue
	p         Priority
	does      byte // what it does when it runs
	k         int  // the token or flag that it needs
	returned  int  // time at which Post had returned, 0 before
	accepted  bool
	ran, gone bool
}

// String says which post it is: the n-th step of a thread.
func (x *modelPost) String() string { return fmt.Sprintf("%c%d=%c", 'B'+x.by, x.n, x.does) }

// A stage is one execution of a scene. What a thread does between two steps of the checker is
// not interleaved with anything, so the lock is never waited for; it is for the race detector.
type stage struct {
	mu      sync.Mutex
	m       *modelcheck.Model
	t       *Thread
	time    int
	posts   []*modelPost
	tokens  []Token
	asked   []int // when the return of a token was asked for, 0 before
	flags   []*atomics.Bool
	quit    bool // somebody has begun to
	closed  bool // and is through with it, or somebody was refused
	through park.Parker
	ended   int           // when the owner was through with what it ran last
	chosen  *modelPost    // what runFirst is about to run
	toRun   atomics.Int32 // c and C, counted before they are posted, as task graphs do
}

func (g *stage) locked(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.time++
	f()
}

// RunOn runs x.
func (x *modelPost) RunOn(t *Thread, _ uint64) {
	g := x.g
	g.m.Assert(x.told, "post %v is run, and what was before Post is not visible", x)
	g.locked(func() { g.takes(x, &x.ran) })
	switch x.does {
	case 'p':
		g.locked(func() { g.ended = g.time })
		panic("work")
	case 'U':
		g.pump(QueueLocal, x.k)
	case 'W':
		t.await(QueueMain, g.flags[x.k].Load)
	case 'X':
		t.await(QueueLocal, g.flags[x.k].Load)
	case 'G':
		g.gather(x.k)
	case 'c', 'C':
		g.toRun.Add(-1)
		g.raise(x.k)
	}
	g.locked(func() { g.ended = g.time })
}

// chooses reports whether x is what gather runs.
func (x *modelPost) chooses() bool { return x.does == 'c' || x.does == 'C' }

// raise raises the flag k, if there is one.
func (g *stage) raise(k int) {
	if k < len(g.flags) {
		g.flags[k].Store(true)
	}
}

// until pumps until cond returns true, or the thread quits.
func (g *stage) until(q Queue, cond func() bool) {
	over := false
	p := pump{queue: q, end: endCond, cond: func() bool {
		over = cond()
		return over
	}}
	g.t.serve(&p)
	if p.err == nil {
		g.m.Assert(over, "the pump until a condition has ended, and that does not hold")
		return
	}
	g.locked(func() { // somebody else may quit as well
		g.m.Assert(p.err == ErrClosed && g.quit, "the pump until a condition: %v", p.err)
	})
}

// twice returns a condition that looks at the flag k and the first time then waits for the flag
// k+1.
func (g *stage) twice(k int) func() bool {
	first := true
	return func() bool {
		seen := g.flags[k].Load()
		if first {
			first = false
			g.t.await(QueueMain, g.flags[k+1].Load)
		}
		return seen
	}
}

// gather waits for the flag k, and runs c and C meanwhile.
func (g *stage) gather(k int) { g.t.await(QueueMain, g.gathers(k)) }

func (g *stage) gathers(k int) func() bool {
	return func() bool {
		seen := g.flags[k].Load()
		for g.toRun.Load() > 0 && g.t.runFirst(QueueMain, func(what Runnable, _ uint64) bool {
			x := what.(*modelPost)
			if !x.chooses() {
				return false
			}
			g.chosen = x
			return true
		}) {
		}
		return seen
	}
}

// CancelOn is told that x will not run.
func (x *modelPost) CancelOn(*Thread, uint64) {
	g := x.g
	g.m.Assert(x.told, "post %v is cancelled, and what was before Post is not visible", x)
	g.locked(func() {
		g.m.Assert(g.quit, "post %v is cancelled, and nobody has quit", x)
		g.takes(x, &x.gone)
	})
	if x.chooses() {
		g.raise(x.k)
	}
}

// takes notes that x is run or cancelled.
func (g *stage) takes(x *modelPost, how *bool) {
	g.m.Assert(!x.ran && !x.gone, "post %v is taken twice", x)
	*how = true
	chosen := g.chosen == x
	g.chosen = nil
	for _, y := range g.posts {
		if y.q != x.q || y.ran || y.gone || chosen && !y.chooses() {
			continue
		}
		g.m.Assert(y.by != x.by || y.p != x.p || y.n > x.n, "post %v overtakes %v", x, y)
		// The search for x began when what was run last had ended, or later.
		g.m.Assert(y.p >= x.p || y.returned == 0 || !y.accepted || y.returned > g.ended || x.gone,
			"post %v is taken before %v", x, y)
	}
}

// pump pumps until the token k is returned.
func (g *stage) pump(q Queue, k int) {
	p := pump{queue: q, end: endReturn, token: g.tokens[k]}
	if g.t.pumping[q] {
		return // ErrReentered
	}
	g.t.serve(&p)
	g.locked(func() {
		g.ended = g.time
		if p.err == nil {
			g.m.Assert(g.asked[k] > 0, "the pump of token %d has ended, and nobody asked for that",
				k)
		} else {
			g.m.Assert(p.err == ErrClosed && g.quit, "the pump of token %d: %v", k, p.err)
		}
	})
}

func (g *stage) post(by, n int, letter byte, k int) (accepted bool) {
	x := &modelPost{g: g, by: by, n: n, does: letter, k: k, p: PriorityNormal}
	switch letter {
	case 'A', 'C':
		x.p = PriorityHigh
	case 'b':
		x.q = QueueLocal
	case 'B':
		x.q, x.p = QueueLocal, PriorityHigh
	}
	late := false
	g.locked(func() {
		late = g.closed
		g.posts = append(g.posts, x)
	})
	x.told = true // after the lock: only the Post carries this to the thread
	err := g.t.Post(x.q, x.p, x, 0)
	g.locked(func() {
		x.accepted = err == nil
		x.returned = g.time
		g.closed = g.closed || err != nil
		g.m.Assert(!x.accepted || !late,
			"post %v is accepted after Quit, or after another was refused", x)
		g.m.Assert(x.accepted || g.quit, "post %v is refused, and nobody has quit", x)
	})
	return err == nil
}

// program returns the scene for the checker. Each thread's letters are known before it begins,
// so tokens and flags have their numbers.
func (s scene) program(m *modelcheck.Model) {
	g := &stage{m: m}
	g.t = newThread(new(Registry), "Model", s.options(g))
	all := s.owner + strings.Join(s.others, "")
	needs := strings.Count(all, "u") + strings.Count(all, "v") + strings.Count(all, "U")
	for range needs {
		// Not from the thread's spare ones: all are in use at a time.
		g.tokens = append(g.tokens, Token{cell: &tokenCell{thread: g.t}})
	}
	g.asked = make([]int, needs)
	for range strings.Count(all, "m") + strings.Count(all, "n") + 2*strings.Count(all, "h") +
		strings.Count(all, "j") + strings.Count(all, "w") + strings.Count(all, "x") +
		strings.Count(all, "W") + strings.Count(all, "X") + strings.Count(all, "z") +
		strings.Count(all, "g") + strings.Count(all, "G") + 2*strings.Count(all, "y") {
		g.flags = append(g.flags, new(atomics.Bool))
	}
	token, flag, returns, raises := 0, 0, 0, 0
	if s.waits > 0 {
		g.flags = append(g.flags, new(atomics.Bool))
		flag++ // Poll's
	}
	number := func(letter byte) int {
		next := map[byte]*int{'u': &token, 'v': &token, 'U': &token, 'w': &flag, 'x': &flag,
			'y': &flag, 'z': &flag, 'm': &flag, 'n': &flag, 'h': &flag, 'j': &flag, 'g': &flag,
			'G': &flag, 'c': &raises, 'C': &raises, 'W': &flag, 'X': &flag, 'r': &returns,
			's': &raises, 'S': &raises, 't': &raises}[letter]
		if next == nil {
			return 0
		}
		k := *next
		if *next++; letter == 'y' || letter == 'h' || letter == 'S' {
			*next++
		}
		return k
	}
	numbers := func(script string) (all []int) {
		for i := range script {
			all = append(all, number(script[i]))
		}
		return all
	}
	mine := numbers(s.owner)
	m.Thread(func() {
		for i, k := range mine {
			switch s.owner[i] {
			case 'i':
				g.t.serve(&pump{queue: QueueMain, end: endIdle})
			case 'l':
				g.t.serve(&pump{queue: QueueLocal, end: endIdle})
			case 'u':
				g.pump(QueueMain, k)
			case 'v':
				g.pump(QueueLocal, k)
			case 'w':
				g.t.await(QueueMain, g.flags[k].Load)
			case 'x':
				g.t.await(QueueLocal, g.flags[k].Load)
			case 'y':
				g.t.await(QueueMain, g.twice(k))
			case 'm':
				g.until(QueueMain, g.flags[k].Load)
			case 'n':
				g.until(QueueLocal, g.flags[k].Load)
			case 'h':
				g.until(QueueMain, g.twice(k))
			case 'j':
				g.until(QueueMain, g.gathers(k))
			case 'z':
				g.t.await(QueueMain, func() bool {
					seen := g.flags[k].Load()
					g.t.serve(&pump{queue: QueueMain, end: endIdle})
					return seen
				})
			case 'g':
				g.gather(k)
			case 'f':
				g.t.serve(&pump{queue: QueueMain, end: endTime, deadline: math.MaxInt64 - 1})
			}
			g.locked(func() { g.ended = g.time })
		}
		g.through.Unpark()
		g.t.serve(&pump{queue: QueueMain, end: endQuit})
		g.locked(func() { m.Assert(g.quit, "the thread has ended, and nobody has quit") })
	})
	for by, script := range s.others {
		ks := numbers(script)
		m.Thread(func() {
			for n, k := range ks {
				switch script[n] {
				case 'r':
					if k < len(g.tokens) {
						g.locked(func() { g.asked[k] = g.time })
						g.t.RequestReturn(g.tokens[k])
					}
				case 's', 'S':
					last := k
					if script[n] == 'S' {
						last++
					}
					for ; k <= last && k < len(g.flags); k++ {
						g.flags[k].Store(true)
					}
					g.t.Wake()
				case 't':
					if k < len(g.flags) {
						g.flags[k].Store(true)
					}
					if !g.post(by, n, 'a', 0) {
						g.t.Wake()
					}
				case 'c', 'C':
					g.toRun.Add(1)
					if !g.post(by, n, script[n], k) {
						g.toRun.Add(-1)
						g.raise(k)
						g.t.Wake()
					}
				case 'k':
					g.t.Wake()
				case 'e':
					g.through.Park()
				case 'q':
					g.locked(func() { g.quit = true })
					g.t.Quit()
					g.locked(func() { g.closed = true })
				default:
					g.post(by, n, script[n], k)
				}
			}
		})
	}
	for ; returns < len(g.tokens); returns++ {
		g.asked[returns] = 1
		g.t.RequestReturn(g.tokens[returns])
	}
	for ; raises < len(g.flags); raises++ {
		g.flags[raises].Store(true)
	}
	m.After(func() {
		for _, x := range g.posts {
			m.Assert(x.accepted == (x.ran || x.gone), "post %v is lost", x)
		}
		m.Assert(g.t.Dropped() == 0 && g.t.depth == 0 && g.t.pumping == [queues]bool{},
			"something is left marked")
	})
}

func (s scene) check(t *testing.T, n int) {
	t.Run(s.String(), func(t *testing.T) {
		modelcheck.Check(t, modelcheck.Options{Explorers: modelcheck.Portfolio(n)}, s.program)
	})
}

func TestModelNamedThread(t *testing.T) {
	t.Run("stall and wake", func(t *testing.T) {
		for _, s := range []scene{
			{"", []string{"a", "aq"}, false, 0},
			{"", []string{"aa", "Aq"}, false, 0},
			{"", []string{"a", "b", "q"}, false, 0},
			{"", []string{"aA", "bBq"}, false, 0},
			{"l", []string{"b", "bq"}, false, 0},
			{"ii", []string{"a", "Aq"}, false, 0},
			{"w", []string{"as", "Aq"}, false, 0},
			{"x", []string{"bs", "bq"}, false, 0},
			{"w", []string{"ka", "bs", "q"}, false, 0},
			{"", []string{"Xb", "sb", "q"}, false, 0},
			{"", []string{"Wa", "sA", "q"}, false, 0},
			{"", []string{"XX", "ss", "q"}, false, 0},
			{"y", []string{"S", "q"}, false, 0},
			{"y", []string{"s", "sq"}, false, 0},
			{"y", []string{"sk", "s", "aq"}, false, 0},
			{"w", []string{"t", "aq"}, false, 0},
			{"x", []string{"bt", "bq"}, false, 0},
			{"y", []string{"tt", "q"}, false, 0},
			{"z", []string{"t", "bq"}, false, 0},
			{"z", []string{"at", "Aq"}, false, 0},
			// What nobody but the right one can end.
			{"w", []string{"t", "eq"}, false, 0},
			{"z", []string{"t", "eq"}, false, 0},
			{"z", []string{"at", "eq"}, false, 0},
			{"y", []string{"S", "eq"}, false, 0},
			{"u", []string{"br", "eq"}, false, 0},
		} {
			s.check(t, modelcheck.Scaled(60_000)/25)
		}
	})
	t.Run("run first", func(t *testing.T) {
		for _, s := range []scene{
			{"g", []string{"c", "aq"}, false, 0},
			{"g", []string{"ac", "eq"}, false, 0},
			{"g", []string{"aC", "Ac", "eq"}, false, 0},
			{"g", []string{"t", "eq"}, false, 0},
			{"g", []string{"at", "Ceq"}, false, 0},
			{"gg", []string{"cc", "eq"}, false, 0},
			{"gg", []string{"c", "aC", "eq"}, false, 0},
			{"gig", []string{"aca", "ceq"}, false, 0},
			{"", []string{"Gac", "eq"}, false, 0},
			{"", []string{"Ga", "cq"}, false, 0},
			{"", []string{"GG", "cc", "q"}, false, 0},
			{"g", []string{"Gc", "cAq"}, false, 0},
			{"g", []string{"kpc", "qa"}, false, 0},
			{"ug", []string{"cr", "aceq"}, false, 0},
		} {
			s.check(t, modelcheck.Scaled(60_000)/12)
		}
	})
	t.Run("pump until", func(t *testing.T) {
		for _, s := range []scene{
			{"m", []string{"as", "Aq"}, false, 0},
			{"m", []string{"s", "eq"}, false, 0},
			{"m", []string{"at", "beq"}, false, 0},
			{"m", []string{"ks", "a", "q"}, false, 0},
			{"n", []string{"bs", "aeq"}, false, 0},
			{"mw", []string{"s", "as", "q"}, false, 0},
			{"m", []string{"U", "sr", "q"}, false, 0},
			{"m", []string{"Xa", "ss", "q"}, false, 0},
			{"m", []string{"pc", "eq"}, false, 0},
			{"m", []string{"a", "qs"}, false, 0},
			{"h", []string{"S", "eq"}, false, 0},
			{"h", []string{"s", "seq"}, false, 0},
			{"h", []string{"sk", "as", "q"}, false, 0},
			{"h", []string{"tt", "eq"}, false, 0},
			{"j", []string{"c", "beq"}, false, 0},
			{"j", []string{"bc", "aeq"}, false, 0},
			{"m", []string{"b", "seq"}, true, 0},
		} {
			s.check(t, modelcheck.Scaled(60_000)/16)
		}
	})
	t.Run("return", func(t *testing.T) {
		for _, s := range []scene{
			{"u", []string{"r", "aq"}, false, 0},
			{"u", []string{"ar", "Aq"}, false, 0},
			{"uu", []string{"rr", "aq"}, false, 0},
			{"uu", []string{"r", "ar", "q"}, false, 0},
			{"uv", []string{"ar", "rb", "q"}, false, 0},
			{"v", []string{"rb", "bq"}, false, 0},
			{"u", []string{"Ur", "rbq"}, false, 0},
			{"u", []string{"U", "r", "rq"}, false, 0},
		} {
			s.check(t, modelcheck.Scaled(60_000)/8)
		}
	})
	t.Run("quit", func(t *testing.T) {
		for _, s := range []scene{
			{"", []string{"a", "q"}, false, 0},
			{"", []string{"aa", "q"}, false, 0},
			{"", []string{"a", "b", "q"}, false, 0},
			{"", []string{"aA", "bB", "q"}, false, 0},
			{"", []string{"aq", "bq"}, false, 0},
			{"", []string{"aqa", "qb"}, false, 0},
			{"u", []string{"a", "rq"}, false, 0},
			{"u", []string{"ar", "b", "q"}, false, 0},
			{"w", []string{"a", "qs"}, false, 0},
			{"", []string{"U", "qa", "r"}, false, 0},
			{"", []string{"ka", "b", "q"}, false, 0},
			{"f", []string{"a", "q"}, false, 0},
			{"uf", []string{"rk", "q"}, false, 0},
			{"", []string{"B", "aB", "q"}, false, 0},
			{"", []string{"aB", "Ab", "q"}, false, 0},
		} {
			s.check(t, modelcheck.Scaled(60_000)/15)
		}
	})
	t.Run("poll", func(t *testing.T) {
		for _, timers := range []modelcheck.Timers{modelcheck.TimersNever,
			modelcheck.TimersOnTime} {
			for _, s := range []scene{
				{"", []string{"a", "q"}, true, 0},
				{"", []string{"ab", "bq"}, true, 0},
				{"u", []string{"r", "bq"}, true, 0},
				{"f", []string{"ab", "Bq"}, true, 0},
				{"v", []string{"Ub", "rr", "q"}, true, 0},
				{"w", []string{"b", "sq"}, true, 0},
			} {
				t.Run(s.String(), func(t *testing.T) {
					modelcheck.Check(t, modelcheck.Options{Timers: timers,
						Explorers: modelcheck.Portfolio(modelcheck.Scaled(30_000) / 12)}, s.program)
				})
			}
		}
	})
	t.Run("poll waits", func(t *testing.T) {
		for _, timers := range []modelcheck.Timers{modelcheck.TimersNever,
			modelcheck.TimersOnTime} {
			for _, s := range []scene{
				// What the Poll's wait is woken for concerns the pump around it.
				{"u", []string{"r", "s", "eq"}, false, 1},
				{"u", []string{"ra", "s", "eq"}, false, 1},
				{"v", []string{"rb", "sbq"}, false, 1},
				{"", []string{"a", "s", "q"}, false, 1},
				{"", []string{"pa", "bs", "q"}, false, 2},
				{"u", []string{"pr", "sp", "eq"}, false, 2},
				{"f", []string{"pA", "sq"}, false, 2},
				{"uw", []string{"rps", "s", "eq"}, false, 2},
			} {
				t.Run(s.String(), func(t *testing.T) {
					o := modelcheck.Options{Timers: timers,
						Explorers: modelcheck.Portfolio(modelcheck.Scaled(48_000) / 16)}
					modelcheck.Check(t, o, s.program)
				})
			}
		}
	})
	t.Run("lives", modelLives)
	t.Run("late return", modelLateReturn)
	t.Run("tokens from outside", modelOutsideTokens)
	t.Run("drawn", modelDrawnScenes)
}

// modelLateReturn: tokens of one cell, one after the other. A return that is late ends no pump
// but its own.
func modelLateReturn(t *testing.T) {
	modelcheck.Check(t,
		modelcheck.Options{Explorers: modelcheck.Portfolio(modelcheck.Scaled(20_000))},
		func(m *modelcheck.Model) {
			th := newThread(new(Registry), "Model", Options{})
			const n = 3
			var given [n]atomics.Pointer[Token]
			var asked [n]atomics.Bool
			m.Thread(func() {
				for i := range n {
					k := th.NewToken()
					given[i].Store(&k)
					p := pump{queue: QueueMain, end: endReturn, token: k}
					th.serve(&p)
					m.Assert(p.err == nil && asked[i].Load(), "pump %d: ended, error %v", i, p.err)
				}
			})
			for range 2 {
				m.Thread(func() { // both return each token, if it is there in time
					for i := range n {
						k := given[i].Load()
						if k == nil {
							k = awaitToken(&given[i])
						}
						asked[i].Store(true)
						th.RequestReturn(*k)
					}
				})
			}
		})
}

// modelOutsideTokens: tokens that several goroutines make of the same cells, while the thread gives
// cells back. Each ends one pump, when it is returned.
func modelOutsideTokens(t *testing.T) {
	for _, makers := range [][]int{{2}, {3}, {1, 1}, {2, 1}} {
		t.Run(fmt.Sprint(makers), func(t *testing.T) {
			modelcheck.Check(t,
				modelcheck.Options{Explorers: modelcheck.Portfolio(modelcheck.Scaled(60_000) / 4)},
				func(m *modelcheck.Model) {
					th := newThread(new(Registry), "Model", Options{})
					total := 0
					type made struct {
						token atomics.Pointer[Token]
						asked atomics.Bool
					}
					var all []*made
					for _, n := range makers {
						total += n
					}
					for range total + 1 {
						all = append(all, new(made))
					}
					serve := func(x *made) {
						p := pump{queue: QueueMain, end: endReturn, token: *awaitToken(&x.token)}
						th.serve(&p)
						m.Assert(p.err == nil && x.asked.Load(),
							"a pump has ended, error %v, and nobody asked for that", p.err)
					}
					m.Thread(func() {
						own := th.NewToken() // so that there is a cell to share
						all[total].token.Store(&own)
						all[total].asked.Store(true)
						th.RequestReturn(own)
						serve(all[total])
						for _, x := range all[:total] {
							serve(x)
						}
					})
					i := 0
					for _, n := range makers {
						mine := all[i : i+n]
						i += n
						m.Thread(func() {
							for _, x := range mine {
								k := th.NewToken()
								x.token.Store(&k)
								x.asked.Store(true)
								th.RequestReturn(k)
							}
						})
					}
				})
		})
	}
}

func awaitToken(p *atomics.Pointer[Token]) *Token {
	for {
		if k := p.Load(); k != nil {
			return k
		}
		atomics.Gosched()
	}
}

// modelDrawnScenes draws scenes. MODELCHECK_PROGRAMS says how many.
func modelDrawnScenes(t *testing.T) {
	modelcheck.Drawn(func(i int, rnd *rand.Rand, n int) {
		draw := func(letters string, n int) string {
			var b strings.Builder
			for range n {
				b.WriteByte(letters[rnd.IntN(len(letters))])
			}
			return b.String()
		}
		s := scene{owner: draw("iluvwxyzmnh", rnd.IntN(3)), polls: i%4 == 3}
		letters := "aaAbBUXWrrsStkqp"
		if i%5 == 4 { // where flags are raised by work, all that waits for one runs such work
			s.owner, letters = draw("ilugj", rnd.IntN(3)), "aAbccCCGUrkqp"
		}
		threads, ops := 2, 3
		if i%2 == 1 {
			threads, ops = 3, 2
		}
		for range threads {
			s.others = append(s.others, draw(letters, ops))
		}
		s.others[rnd.IntN(threads)] += "q"
		t.Run(fmt.Sprint(i), func(t *testing.T) { s.check(t, n+8) })
	})
}
