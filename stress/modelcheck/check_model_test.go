//go:build modelcheck

package modelcheck_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/stress/modelcheck/atomic"
)

// lost is a lost update.
func lost(m *modelcheck.Model) {
	var n atomic.Uint32
	for range 2 {
		m.Thread(func() { n.Store(n.Load() + 1) })
	}
	m.After(func() { m.Assert(n.Load() == 2, "n is %d", n.Load()) })
}

// kept is the same without the bug.
func kept(m *modelcheck.Model) {
	var n atomic.Uint32
	for range 2 {
		m.Thread(func() { n.Add(1) })
	}
	m.After(func() { m.Assert(n.Load() == 2, "n is %d", n.Load()) })
}

func failure(t *testing.T, o modelcheck.Options,
	program func(m *modelcheck.Model)) *modelcheck.Failure {
	t.Helper()
	tally, err := modelcheck.Explore(o, program)
	var f *modelcheck.Failure
	require.True(t, errors.As(err, &f), "%v", err)
	require.Equal(t, 1, tally.Failures)
	return f
}

// The report says all that is needed to see the bug again.
func TestFailureText(t *testing.T) {
	f := failure(t, modelcheck.Options{Name: "counter"}, lost)
	text := f.Error()
	for _, part := range []string{
		"counter: assertion in execution ", "found by bound1", "n is 1",
		"A       -- preempted before n.Store", "n.Store(1)", "0 -> 1  check_model_test.go:",
		"-- fails: n is 1  check_model_test.go:",
		"schedule " + f.Schedule + ", 1 preemptions", "MODELCHECK_SCHEDULE='" + f.Schedule + "'",
	} {
		require.Contains(t, text, part)
	}
	again := failure(t, modelcheck.Options{Schedule: f.Schedule}, lost)
	require.Equal(t, f.Trace, again.Trace)
	require.Equal(t, "replay", again.Explorer)
	t.Setenv("MODELCHECK_SCHEDULE", f.Schedule)
	require.Equal(t, f.Trace, failure(t, modelcheck.Options{}, lost).Trace)
}

// Without a preemption nothing is lost; with one each explorer finds it.
func TestEveryExplorerFindsALostUpdate(t *testing.T) {
	one := func(x modelcheck.Explorer) modelcheck.Options {
		return modelcheck.Options{Explorers: []modelcheck.Explorer{x}}
	}
	modelcheck.Check(t, one(modelcheck.DepthFirst(0, 0)), lost)
	for _, x := range []modelcheck.Explorer{
		modelcheck.DepthFirst(1, 0), modelcheck.DPOR(0), modelcheck.Exhaustive(0),
		modelcheck.RandomWalk(100), modelcheck.PCT(2, 400),
		modelcheck.Decisions([]byte{0, 1}),
	} {
		require.Equal(t, "assertion", failure(t, one(x), lost).Kind)
		modelcheck.Check(t, one(x), kept)
	}
}

func TestTallyOfACompleteProgram(t *testing.T) {
	tally := modelcheck.Check(t,
		modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.DPOR(0)}}, kept)
	require.Equal(t, modelcheck.Tally{Programs: 1, Complete: 1, Executions: 2, Bound: math.MaxInt},
		tally)
	tally = modelcheck.Check(t,
		modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(1, 0),
			modelcheck.DepthFirst(0, 1)}}, kept)
	require.Equal(t, 1, tally.Bound)
	require.Zero(t, tally.Complete)
	require.Equal(t, "executions=2 programs=1 complete=0 failures=0", tally.String())
}

// A lock in disguise is found by LockFree only, and its schedule says who stood still.
func TestLockFree(t *testing.T) {
	lock := func(m *modelcheck.Model) {
		var held atomic.Bool
		for range 2 {
			m.Thread(func() {
				for held.Swap(true) {
					atomic.Gosched()
				}
				held.Store(false)
			})
		}
	}
	modelcheck.Check(t, modelcheck.Options{}, lock)
	f := failure(t, modelcheck.Options{LockFree: true}, lock)
	require.Equal(t, "blocking", f.Kind)
	require.Contains(t, f.Explorer, "suspending A after step 1, ")
	again := failure(t, modelcheck.Options{Schedule: f.Schedule}, lock)
	require.Equal(t, f.Trace, again.Trace)
	modelcheck.Check(t, modelcheck.Options{LockFree: true}, kept)
}

// fakeTest notes how a test ended.
type fakeTest struct {
	testing.TB
	fatal string
}

func (f *fakeTest) Helper()        {}
func (f *fakeTest) Log(...any)     {}
func (f *fakeTest) Name() string   { return "fake" }
func (f *fakeTest) Fatal(v ...any) { f.fatal = fmt.Sprint(v...); runtime.Goexit() }
func (f *fakeTest) run(test func()) string {
	done := make(chan struct{})
	go func() { defer close(done); test() }()
	<-done
	return f.fatal
}

func stack(check func(s *lockfree.Stack[int64],
	calls []history.Call) string) modelcheck.Structure[*lockfree.Stack[int64]] {
	type S = *lockfree.Stack[int64]
	return modelcheck.Structure[S]{
		Name: "stack", New: func() S { return new(lockfree.Stack[int64]) }, Check: check,
		Judge: func() modelcheck.Judge { return history.NewChecker(history.LIFO()) },
		Ops: []modelcheck.Op[S]{
			{Name: "Push", Do: func(s S, l *modelcheck.Log, v int64) {
				l.Call(history.OpPush, v, func() (int64, int32) { s.Push(v); return 0, history.OK })
			}},
			{Name: "Pop", Do: func(s S, l *modelcheck.Log, _ int64) {
				l.Call(history.OpPop, 0, func() (int64, int32) {
					if v, ok := s.Pop(); ok {
						return v, history.OK
					}
					return 0, history.Fail
				})
			}},
		},
	}
}

func programs(b modelcheck.Budget,
	check func(s *lockfree.Stack[int64], calls []history.Call) string) (tally modelcheck.Tally,
	fatal string) {
	fake := &fakeTest{}
	fatal = fake.run(func() {
		tally = modelcheck.Programs(fake, stack(check), b, modelcheck.Options{})
	})
	return tally, fatal
}

func TestEnvironmentErrorsSayWhatIsWrong(t *testing.T) {
	for key, value := range map[string]string{
		"MODELCHECK_SEED": "x", "MODELCHECK_PROGRAMS": "-1", "MODELCHECK_EXECUTIONS": "1e6",
		"MODELCHECK_SHARD": "3/3", "MODELCHECK_PROGRAM": "one",
	} {
		t.Run(key, func(t *testing.T) {
			t.Setenv(key, value)
			_, fatal := programs(modelcheck.Budget{}, nil)
			require.Contains(t, fatal, fmt.Sprintf("modelcheck: %s=%q is not ", key, value))
		})
	}
	for _, shard := range []string{"1", "a/2", "1/b", "-1/2", "2/2", "/"} {
		t.Setenv("MODELCHECK_SHARD", shard)
		_, fatal := programs(modelcheck.Budget{}, nil)
		require.Contains(t, fatal, "is not i/n with i below n", shard)
	}
	t.Setenv("MODELCHECK_SHARD", "")
	t.Setenv("MODELCHECK_SCHEDULE", "A2b")
	_, err := modelcheck.Explore(modelcheck.Options{}, kept)
	require.ErrorContains(t, err, `schedule "A2b": 'b' at 2`)
}

// Variants share the budget that there is, each with something.
func TestShare(t *testing.T) {
	t.Setenv("MODELCHECK_PROGRAMS", "")
	t.Setenv("MODELCHECK_EXECUTIONS", "")
	require.Equal(t, modelcheck.Budget{Programs: 40, Executions: 60_000}, modelcheck.Share(1))
	t.Setenv("MODELCHECK_PROGRAMS", "7")
	t.Setenv("MODELCHECK_EXECUTIONS", "100")
	require.Equal(t, modelcheck.Budget{Programs: 3, Executions: 34}, modelcheck.Share(3))
	require.Equal(t, modelcheck.Budget{Programs: 1, Executions: 1}, modelcheck.Share(1000))
	require.PanicsWithValue(t, "modelcheck: Share(0)", func() { modelcheck.Share(0) })
	t.Setenv("MODELCHECK_EXECUTIONS", "many")
	require.Panics(t, func() { modelcheck.Share(1) })
}

// Each program belongs to one shard, and one only.
func TestShardsCoverAllPrograms(t *testing.T) {
	const all, shards = 7, 3
	sum := 0
	for i := range shards {
		t.Setenv("MODELCHECK_SHARD", fmt.Sprintf("%d/%d", i, shards))
		tally, fatal := programs(modelcheck.Budget{Programs: all, Executions: all}, nil)
		require.Empty(t, fatal)
		sum += tally.Programs
	}
	require.Equal(t, all, sum)
	for p := range all {
		t.Setenv("MODELCHECK_PROGRAM", fmt.Sprint(p))
		owners := 0
		for i := range shards {
			t.Setenv("MODELCHECK_SHARD", fmt.Sprintf("%d/%d", i, shards))
			tally, fatal := programs(modelcheck.Budget{Programs: all, Executions: all}, nil)
			require.Empty(t, fatal)
			owners += tally.Programs
		}
		require.Equal(t, 1, owners, "program %d", p)
	}
}

// The files gather a line for each find and each tally.
func TestFindAndTallyFiles(t *testing.T) {
	find, tally := filepath.Join(t.TempDir(), "find"), filepath.Join(t.TempDir(), "tally")
	t.Setenv("MODELCHECK_FIND", find)
	t.Setenv("MODELCHECK_TALLY", tally)
	_, fatal := programs(modelcheck.Budget{Programs: 2, Executions: 100}, nil)
	require.Empty(t, fatal)
	require.NoFileExists(t, find)
	_, fatal = programs(modelcheck.Budget{Programs: 2, Executions: 100},
		func(*lockfree.Stack[int64], []history.Call) string { return "wrong" })
	require.Contains(t, fatal,
		"stack: assertion in execution 1, found by bound1\nprogram 0:\n  set-up:")
	require.Contains(t, fatal, "MODELCHECK_PROGRAM=0")
	read := func(path string) (lines []map[string]any) {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range bytes.Lines(data) {
			var v map[string]any
			require.NoError(t, json.Unmarshal(line, &v))
			lines = append(lines, v)
		}
		return lines
	}
	finds, tallies := read(find), read(tally)
	require.Len(t, finds, 1)
	require.Equal(t, "assertion", finds[0]["kind"])
	require.Equal(t, "stack", finds[0]["suite"])
	require.NotEmpty(t, finds[0]["schedule"])
	require.Len(t, tallies, 2)
	require.GreaterOrEqual(t, tallies[0]["programs"], 2.0)
	require.EqualValues(t, 0, tallies[0]["failures"])
	require.EqualValues(t, 1, tallies[1]["failures"])

	t.Setenv("MODELCHECK_TALLY", filepath.Join(t.TempDir(), "no", "such", "folder"))
	_, err := modelcheck.Explore(modelcheck.Options{}, kept)
	require.ErrorContains(t, err, "modelcheck: MODELCHECK_TALLY: ")
}

// A failure is drawn where the caller or the environment says, in a file that has the test's name,
// and nowhere else.
func TestDraw(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	f := failure(t, modelcheck.Options{}, lost)
	require.Empty(t, f.Drawing)
	require.NotContains(t, f.Error(), "drawn in")
	_, err := modelcheck.Explore(modelcheck.Options{Draw: none}, kept)
	require.NoError(t, err)
	require.NoDirExists(t, none, "there was nothing to draw")

	folder := filepath.Join(t.TempDir(), "new", "folder")
	f = failure(t, modelcheck.Options{Name: "Test/../of a <counter>", Draw: folder}, lost)
	require.Equal(t, filepath.Join(folder, "Test____of_a__counter_.svg"), f.Drawing)
	require.Contains(t, f.Error(), "\ndrawn in "+f.Drawing)
	svg, err := os.ReadFile(f.Drawing)
	require.NoError(t, err)
	require.NoError(t, xml.Unmarshal(svg, new(struct{})))
	require.Contains(t, string(svg),
		"Test/../of a &lt;counter&gt;: assertion in execution 4, found by bound1")
	require.Contains(t, string(svg), ">n.Store(1)<")

	t.Setenv("MODELCHECK_DRAW", folder)
	_, fatal := programs(modelcheck.Budget{Programs: 2, Executions: 100},
		func(*lockfree.Stack[int64], []history.Call) string { return "wrong" })
	require.Contains(t, fatal, "\ndrawn in "+filepath.Join(folder, "fake.svg"))
	require.FileExists(t, filepath.Join(folder, "fake.svg"))
	require.Equal(t, filepath.Join(folder, "model.svg"),
		failure(t, modelcheck.Options{}, lost).Drawing, "a model without a name")

	// Where it cannot be drawn, the failure is told all the same.
	_, err = modelcheck.Explore(modelcheck.Options{Draw: f.Drawing}, lost)
	require.ErrorAs(t, err, &f)
	require.ErrorContains(t, err, "n is 1")
	require.ErrorContains(t, err, "modelcheck: the drawing: ")
}

func TestProgramsOfARightStructure(t *testing.T) {
	tally, fatal := programs(modelcheck.Budget{Programs: 8, Executions: 8000}, nil)
	require.Empty(t, fatal)
	require.GreaterOrEqual(t, tally.Programs, 8)
	require.Positive(t, tally.Executions)
}

// A fuzzer draws the schedule as bytes.
func FuzzDecisions(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 1, 2, 3})
	f.Fuzz(func(t *testing.T, data []byte) {
		modelcheck.Check(t,
			modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.Decisions(data)}}, kept)
	})
}

// Program and schedule are drawn first, and then run; no thread draws.
func TestDecisionsByRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		adds := rapid.SliceOfN(rapid.SliceOfN(rapid.Uint32Range(0, 9), 1, 3), 1, 4).Draw(t, "adds")
		data := rapid.SliceOfN(rapid.Byte(), 0, 16).Draw(t, "schedule")
		decided := modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.Decisions(data)}}
		_, err := modelcheck.Explore(decided, func(m *modelcheck.Model) {
			var n atomic.Uint32
			sum := uint32(0)
			for _, list := range adds {
				for _, v := range list {
					sum += v
				}
				m.Thread(func() {
					for _, v := range list {
						n.Add(v)
					}
				})
			}
			m.After(func() { m.Assert(n.Load() == sum, "%d, not %d", n.Load(), sum) })
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestBadExplorersPanic(t *testing.T) {
	require.PanicsWithValue(t, "modelcheck: DepthFirst with -1 preemptions", func() {
		modelcheck.DepthFirst(-1, 0)
	})
	for _, depth := range []int{0, 9} {
		require.PanicsWithValue(t, fmt.Sprintf("modelcheck: PCT of depth %d, not 1 to 8", depth),
			func() { modelcheck.PCT(depth, 1) })
	}
	require.Equal(t, 7, modelcheck.Scaled(7))
}

// Each program has a source of its own, the same each time, and its part of the executions.
func TestDrawn(t *testing.T) {
	draw := func(programs, seed string, each int) (all []uint64) {
		t.Setenv("MODELCHECK_PROGRAMS", programs)
		t.Setenv("MODELCHECK_SEED", seed)
		t.Setenv("MODELCHECK_EXECUTIONS", "20")
		modelcheck.Drawn(func(i int, source *rand.Rand, executions int) {
			require.Len(t, all, i)
			require.Equal(t, each, executions)
			all = append(all, source.Uint64())
		})
		return all
	}
	five := draw("5", "1", 4)
	require.Len(t, five, 5)
	require.Equal(t, five, draw("5", "1", 4))
	require.NotContains(t, draw("5", "2", 4), five[0])
	require.NotEqual(t, five[0], five[1])
	require.Equal(t, five[:1], draw("0", "1", 20))
	require.Panics(t, func() { draw("many", "1", 0) })
}

// What passes because nothing was tried does not pass.
func TestNothingSeen(t *testing.T) {
	f := failure(t, modelcheck.Options{Name: "plain"}, func(m *modelcheck.Model) {
		n := 0
		for range 2 {
			m.Thread(func() { n++ })
		}
	})
	require.Equal(t, "unseen", f.Kind)
	require.Contains(t, f.Error(), "plain: unseen in execution ")
	require.Contains(t, f.Error(),
		"no thread makes a step: the words must be those of stress/modelcheck/atomic")
	require.NotContains(t, f.Error(), "MODELCHECK_SCHEDULE")
	var strangers sync.WaitGroup // or they would take a step in the model of the next test
	f = failure(t, modelcheck.Options{}, func(m *modelcheck.Model) {
		var n atomic.Uint32
		strangers.Add(1)
		go func() {
			defer strangers.Done()
			n.Add(1)
		}()
	})
	strangers.Wait()
	require.Equal(t, "unseen", f.Kind)
	require.Contains(t, f.Text, "there is no thread")
}

// In a history the set-up comes just before the threads, whose time begins at 0, and the end just
// after.
func TestTimesOfTheSetUpAndTheEnd(t *testing.T) {
	type S = *lockfree.Stack[int64]
	s := stack(nil)
	var calls []history.Call
	s.Check = func(_ S, all []history.Call) string {
		calls = append([]history.Call(nil), all...)
		for _, c := range all {
			if c.Thread < 0 && c.Begin < 0 {
				return "stop"
			}
		}
		return ""
	}
	s.Drain = func(x S, l *modelcheck.Log) { s.Ops[1].Do(x, l, 0); s.Ops[1].Do(x, l, 0) }
	fake := &fakeTest{}
	require.Contains(t, fake.run(func() {
		modelcheck.Programs(fake, s, modelcheck.Budget{Programs: 20, Executions: 400},
			modelcheck.Options{})
	}), "stop")
	setUp, end, last := int64(0), int64(0), int64(0)
	for _, c := range calls {
		switch {
		case c.Thread >= 0:
			require.GreaterOrEqual(t, c.Begin, int64(0))
			last = max(last, c.End)
		case c.Begin < 0:
			setUp = min(setUp, c.Begin)
		default:
			end = max(end, c.End)
		}
	}
	require.GreaterOrEqual(t, setUp, int64(-3), "as many as there are calls")
	require.Equal(t, last+2, end)
}
