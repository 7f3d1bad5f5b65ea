package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEveryRowRuns gives every row a very short turn. Only what needs a compiler, a library
// or another system may be absent.
func TestEveryRowRuns(t *testing.T) {
	smaller = 100
	defer func() { smaller = 1 }()
	n := newNative(false)
	n.optimize = "-O0" // compiles faster
	s := &session{length: time.Millisecond, native: n}
	defer func() { require.NoError(t, n.close()) }()
	_, err := exec.LookPath(n.compiler)
	compiler := err == nil

	var rep report
	for _, table := range tables() {
		start := time.Now()
		o, err := race(context.Background(), table, s, 1, nil)
		require.NoError(t, err)
		t.Logf("%s: %v", table.name, time.Since(start).Round(time.Millisecond))
		require.Len(t, o.results, len(table.rows), table.name)
		for _, r := range o.results {
			where := table.name + "/" + r.row
			require.Empty(t, r.failed, where)
			if r.absent != "" {
				t.Logf("%s is absent: %s", where, r.absent)
				native := strings.HasSuffix(r.row, "(C++)")
				require.True(t, native || !hasFutex || strings.HasPrefix(r.row, "lscq"), where)
				require.False(t, compiler && r.absent == "it does not compile", where)
				continue
			}
			require.Len(t, r.values, len(table.metrics), where)
			for m, values := range r.values {
				require.Len(t, values, 1, where)
				for _, v := range values {
					require.False(t, math.IsNaN(v) || math.IsInf(v, 0) || v < 0, "%s %s: %v", where, table.metrics[m].name, v)
				}
			}
		}
		rep.add(o)
	}
	require.False(t, rep.failed())
	var out bytes.Buffer
	require.NoError(t, rep.print(&out))
	for _, table := range rep.Tables {
		require.Contains(t, out.String(), "\n"+table.Name+": ")
		require.Contains(t, out.String(), "\n* "+table.Reference+" ")
	}
}

// Names are unique, fit in a regexp of -run as they are but for brackets, and every table has
// its reference.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range tables() {
		require.NotEmpty(t, table.metrics, table.name)
		require.True(t, slices.ContainsFunc(table.rows, func(r row) bool { return r.name == table.reference }), table.name)
		for _, r := range table.rows {
			name := table.name + "/" + r.name
			require.False(t, seen[name], name)
			seen[name] = true
		}
	}
}

func TestMedian(t *testing.T) {
	require.Equal(t, 3.0, median([]float64{9, 1, 3}))
	require.Equal(t, 2.5, median([]float64{9, 1, 3, 2}))
	require.Equal(t, 7.0, median([]float64{7}))
	require.True(t, math.IsNaN(median(nil)))
}

func TestQuantile(t *testing.T) {
	var samples []int64
	for v := int64(100); v >= 1; v-- {
		samples = append(samples, v)
	}
	require.Equal(t, 50.0, quantile(samples, 0.5))
	require.Equal(t, 90.0, quantile(samples, 0.9))
	require.Equal(t, 99.0, quantile(samples, 0.99))
	require.Equal(t, 1.0, quantile(samples, 0))
	require.Equal(t, 100.0, quantile(samples, 1))
	require.Equal(t, 5.0, quantile([]int64{5}, 0.9))
	require.True(t, math.IsNaN(quantile(nil, 0.5)))
}

// The ratio is taken round by round: a machine that slows down for a while slows both rows of
// the same round.
func TestRatioIsOfTheSameRound(t *testing.T) {
	o := outcome{
		table: &table{name: "t", reference: "b", metrics: []metric{{"time", "ns"}}},
		results: []*result{
			{row: "a", values: [][]float64{{20, 400, 30}}},
			{row: "b", values: [][]float64{{10, 200, 10}}},
		},
	}
	var rep report
	rep.add(o)
	a, b := rep.Tables[0].Rows[0].Metrics[0], rep.Tables[0].Rows[1].Metrics[0]
	require.Equal(t, 2.0, *a.Ratio)
	require.Equal(t, 1.0, *b.Ratio)
	require.Equal(t, []float64{30, 20, 400}, []float64{a.Median, a.Min, a.Max})
	require.Empty(t, ratios([]float64{1}, []float64{0}))
}

// logged is a table whose rows note their turns.
func logged(log *[]string, rows ...string) *table {
	t := &table{name: "t", reference: rows[0], metrics: []metric{{"time", "ns"}}}
	for _, name := range rows {
		t.rows = append(t.rows, row{name: name, prepare: func(*session) (turn, error) {
			*log = append(*log, "warm "+name)
			return func() ([]float64, error) {
				*log = append(*log, name)
				return []float64{1}, nil
			}, nil
		}})
	}
	return t
}

func TestRowsTakeTurns(t *testing.T) {
	var log []string
	_, err := race(context.Background(), logged(&log, "A", "B"), nil, 3, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"warm A", "warm B", "A", "B", "A", "B", "A", "B"}, log)
}

// A row that fails or is absent does not keep the others from running, and is shown.
func TestRowThatFails(t *testing.T) {
	var log []string
	table := logged(&log, "good")
	turns := 0
	table.rows = append(table.rows,
		row{name: "wrong", prepare: func(*session) (turn, error) {
			return func() ([]float64, error) {
				turns++
				return []float64{1}, checkSum(1, 10)
			}, nil
		}},
		row{name: "missing", prepare: func(*session) (turn, error) { return nil, absent("none here") }},
	)
	o, err := race(context.Background(), table, nil, 3, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"warm good", "good", "good", "good"}, log)
	require.Equal(t, 1, turns)

	var rep report
	rep.add(o)
	require.True(t, rep.failed())
	var out bytes.Buffer
	require.NoError(t, rep.print(&out))
	require.Regexp(t, `(?m)^  wrong +FAILED: popped values add up to 1, pushed ones to 45$`, out.String())
	require.Regexp(t, `(?m)^  missing +absent: none here$`, out.String())
	require.Regexp(t, `(?m)^\* good +1\.00  1\.00-1\.00  1\.00x$`, out.String())
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	table := &table{name: "t", reference: "A", metrics: []metric{{"time", "ns"}}, rows: []row{
		{name: "A", prepare: func(*session) (turn, error) {
			return func() ([]float64, error) {
				cancel()
				return nil, ctx.Err()
			}, nil
		}},
	}}
	_, err := race(ctx, table, nil, 3, nil)
	require.EqualError(t, err, "interrupted")

	status, stdout, stderr := command(ctx, "-run", "^deque", "-json")
	require.Equal(t, exitFailed, status)
	require.Contains(t, stderr, "interrupted")
	require.Contains(t, decode(t, stdout).Error, "interrupted")
}

func TestCalibrate(t *testing.T) {
	var asked []int
	n, err := calibrate(time.Millisecond, func(n int) (time.Duration, error) {
		asked = append(asked, n)
		return time.Duration(n) * 10, nil
	})
	require.NoError(t, err)
	require.Equal(t, 100_000, n)
	require.Equal(t, minOps, asked[0])

	n, err = calibrate(time.Hour, func(int) (time.Duration, error) { return 0, nil })
	require.NoError(t, err)
	require.Equal(t, maxOps, n)

	_, err = calibrate(time.Hour, func(int) (time.Duration, error) { return 0, errors.New("no") })
	require.EqualError(t, err, "no")
}

func TestChooseKeepsTheReference(t *testing.T) {
	chosen := choose(tables(), regexp.MustCompile("^ring/1P1C/channel$"))
	require.Len(t, chosen, 1)
	var names []string
	for _, r := range chosen[0].rows {
		names = append(names, r.name)
	}
	require.Equal(t, []string{"lockfree.Ring", "channel"}, names)
	require.Empty(t, choose(tables(), regexp.MustCompile("nothing of that name")))
}

func TestCompilerThatIsNotThere(t *testing.T) {
	t.Setenv("CXX", "no-such-compiler")
	n := newNative(false)
	_, err := n.start(plainProgram)
	reason, ok := isAbsent(err)
	require.True(t, ok, "%v", err)
	require.Contains(t, reason, `no C++ compiler "no-such-compiler"`)
	require.NoError(t, n.close())
}

func TestLibraryThatIsNotThere(t *testing.T) {
	t.Setenv("CXX", "go") // a command that compiles no C++
	n := newNative(false)
	for range 2 {
		_, err := n.start(tbbProgram)
		reason, ok := isAbsent(err)
		require.True(t, ok, "%v", err)
		require.Contains(t, reason, "no oneTBB (Debian: libtbb-dev)")
	}
	require.NoError(t, n.close())
	require.NoDirExists(t, n.dir)
	require.Equal(t, "tbb/x.h: No such file or directory",
		firstError([]byte("In file\nx.cpp:4:10: fatal error: tbb/x.h: No such file or directory\n"), nil))
}

// command runs the command and returns all that it came to.
func command(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(ctx, args, &out, &errs)
	return status, out.String(), errs.String()
}

// decode reads a report of which every field is known, and nothing after it.
func decode(t *testing.T, text string) (rep report) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&rep), "%s", text)
	require.False(t, d.More())
	return rep
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		stderr string
	}{
		{"-list", exitOK, ""},
		{"-h", exitOK, "usage: bench [flags]"},
		{"-run deque -native=false -rounds 1 -turn 100us", exitOK, ""},
		{"-rounds 0", exitFailed, "-rounds 0: want 1 to 1000"},
		{"-turn 0s", exitFailed, "-turn 0s: want more than 0"},
		{"-turn 1h", exitFailed, "at most 10s"},
		{"-run nothing_of_that_name", exitFailed, "no row has such a name; -list lists them"},
		{"-run (", exitUsage, "missing closing )"},
		{"-rounds many", exitUsage, "invalid value"},
		{"-turn 5", exitUsage, "invalid value"},
		{"-no-such-flag", exitUsage, "flag provided but not defined"},
		{"stray", exitUsage, `stray argument "stray" (-h lists the flags)`},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := strings.Fields(c.args)
			status, stdout, stderr := command(context.Background(), args...)
			require.Equal(t, c.status, status, "%s%s", stdout, stderr)
			require.Contains(t, stderr, c.stderr)
			if c.stderr == "" {
				require.Empty(t, stderr)
				require.NotEmpty(t, stdout)
			} else {
				require.Empty(t, stdout)
			}
			if c.status == exitOK {
				return
			}
			// With -json the same, and the reason in the object.
			status, stdout, _ = command(context.Background(), append(args, "-json")...)
			require.Equal(t, c.status, status)
			require.Contains(t, decode(t, stdout).Error, c.stderr)
		})
	}
}

func TestJSON(t *testing.T) {
	status, stdout, stderr := command(context.Background(), "-json", "-run", "^deque/steal", "-native=false", "-rounds", "3", "-turn", "100us")
	require.Equal(t, exitOK, status)
	require.Empty(t, stderr)
	rep := decode(t, stdout)
	require.Equal(t, 3, rep.Rounds)
	require.Equal(t, 0.1, rep.TurnMS)
	require.Empty(t, rep.Error)
	require.NotEmpty(t, rep.Machine.CPU)
	require.NotEmpty(t, rep.Machine.Go)
	require.NotEmpty(t, rep.Machine.OS)
	require.Positive(t, rep.Machine.Cores)
	require.Positive(t, rep.Machine.GOMAXPROCS)
	require.Len(t, rep.Tables, 1)
	table := rep.Tables[0]
	require.Equal(t, "deque/steal", table.Name)
	require.NotEmpty(t, table.Title)
	require.Equal(t, "lockfree.Deque", table.Reference)
	require.GreaterOrEqual(t, len(table.Rows), 3)
	for _, r := range table.Rows {
		if r.Absent != "" {
			require.Empty(t, r.Metrics)
			require.Equal(t, "left out by -native=false", r.Absent)
			continue
		}
		require.Len(t, r.Metrics, 1)
		m := r.Metrics[0]
		require.Equal(t, "time", m.Name)
		require.Equal(t, "ns/steal", m.Unit)
		require.Len(t, m.Values, 3)
		require.Equal(t, median(m.Values), m.Median)
		require.Equal(t, slices.Min(m.Values), m.Min)
		require.Equal(t, slices.Max(m.Values), m.Max)
		require.NotNil(t, m.Ratio)
	}
}

func TestList(t *testing.T) {
	status, stdout, stderr := command(context.Background(), "-list", "-run", "^ring/same/")
	require.Equal(t, exitOK, status)
	require.Empty(t, stderr)
	require.True(t, strings.HasPrefix(stdout, "ring/same/lockfree.Ring\nring/same/channel\n"), "%s", stdout)

	status, stdout, _ = command(context.Background(), "-list", "-json")
	require.Equal(t, exitOK, status)
	require.Len(t, decode(t, stdout).Tables, len(tables()))
}
