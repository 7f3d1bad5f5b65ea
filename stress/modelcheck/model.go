package modelcheck

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

// MaxThreads is the largest number of threads in a model.
const MaxThreads = modelcheck.MaxThreads

// A Model is one execution of a program under [Check]. It is set up anew for each.
type Model struct {
	engine  *modelcheck.Engine
	threads []func()
	after   []func()
}

// Thread adds a thread, which runs when the program has been set up. Threads have the letters
// A, B, C and so on, in order; those that they start themselves come after. Only the body of
// the program may call it, at most MaxThreads times.
func (m *Model) Thread(f func()) { m.threads = append(m.threads, f) }

// SetUp runs f as a thread, with the threads that it starts, until each has ended or can only wait
// for others; f must return. The checker tries one order of their steps, so that what a system does
// to start costs no executions. Those that wait are in the model like other threads, but neither
// they nor what they start must end: an execution is over when the others have ended and they can
// only wait. Their letters come before those of Thread, and they are among the MaxThreads. Only the
// body of the program may call it, and it does all that at once.
func (m *Model) SetUp(f func()) { m.engine.SetUp(f) }

// After adds a function that looks at the outcome when all threads are done. It is not called
// if the execution has failed. Only the body of the program may call it.
func (m *Model) After(f func()) { m.after = append(m.after, f) }

// Assert fails the execution if ok is false. If a thread calls it, the thread ends there.
func (m *Model) Assert(ok bool, format string, args ...any) {
	if !ok {
		m.engine.Fail(modelcheck.KindAssertion, fmt.Sprintf(format, args...))
	}
}

// Choose returns a number from 0 to n-1, all of which are explored; n is at most 256. Only
// threads of a model may call it.
func Choose(n int) int { return modelcheck.Choose(n) }

// Note adds a line to the trace of a failure, in the column of the calling thread. It calls
// text only if there is a trace.
func Note(text func() string) { modelcheck.Note(text) }

// execution returns the body that the engine runs.
func (m *Model) execution(program func(m *Model)) func() {
	return func() {
		m.threads, m.after = m.threads[:0], m.after[:0]
		program(m)
		for _, f := range m.threads {
			m.engine.Thread(f)
		}
		if m.engine.Run() {
			for _, f := range m.after {
				f()
			}
		}
	}
}

// Explore explores the executions of a program. The error is a *Failure if one failed: by
// Assert, a panic, a deadlock, an execution without end, or under Options.LockFree a thread
// that waits for one that stands still.
//
// Program sets up new words and adds threads; it must do the same each time, and share
// nothing with other executions. Threads may use the words of package atomic (stress/
// modelcheck/atomic) and whatever is made of them; they must not block on anything else, nor
// start goroutines but by that package. While Explore runs nothing else in the process may
// use such words. Explorations of one process run one at a time.
func Explore(o Options, program func(m *Model)) (Tally, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Tally{Bound: -1}, err
	}
	r := newRun(o, o.Name)
	return r.finish(r.program(0, "", func(e *modelcheck.Engine) func() {
		return (&Model{engine: e}).execution(program)
	}))
}

// Check is Explore in a test, which it fails. Options.Name is the test's name, if there is
// none.
func Check(t testing.TB, o Options, program func(m *Model)) Tally {
	t.Helper()
	if o.Name == "" {
		o.Name = t.Name()
	}
	tally, err := Explore(o, program)
	t.Log(o.Name, tally)
	if err != nil {
		t.Fatal(err)
	}
	return tally
}
