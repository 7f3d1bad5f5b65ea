package stress_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/stress"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestPlansAreGraphsWithNames(t *testing.T) {
	sys := begin(t, taskgraph.Options{Workers: 2})
	rapid.Check(t, func(t *rapid.T) {
		p := stress.Plans(60).Draw(t, "plan")
		require.NoError(t, p.DAG().Check())
		require.LessOrEqual(t, len(p), 60)
		require.Equal(t, len(p), strings.Count(p.String(), "\n"))
		names := map[string]bool{}
		for _, n := range p {
			require.False(t, names[n.Name], "%s twice", n.Name)
			names[n.Name] = true
			_ = n.Priority.String() // or it is none
		}
		w := stress.NewWitness(p.DAG())
		require.NoError(t, sys.WaitUntilTasksComplete(context.Background(),
			p.Launch(w, sys.Task, nil)...))
		require.NoError(t, w.Err())
	})
}

// A witness that was told what will be skipped is content with a failure.
func TestPlanWithAFailure(t *testing.T) {
	sys := begin(t, taskgraph.Options{Workers: 2})
	p := stress.Plan{{Name: "a"}, {Name: "b", After: []int{0}}, {Name: "c", After: []int{1}},
		{Name: "d"}}
	w := stress.NewWitness(p.DAG())
	w.Skip(2)
	boom := errors.New("boom")
	events := p.Launch(w, sys.Task, func(_ *taskgraph.Context, i int) error {
		if i == 1 {
			return boom
		}
		return nil
	})
	require.ErrorIs(t, sys.WaitUntilTasksComplete(context.Background(), events...), boom)
	require.ErrorIs(t, events[2].Err(), graphevent.ErrSkipped)
	require.NoError(t, w.Err())
}

var planBad = flag.Bool("plan.bad", false, "run a property that must fail")

// TestPlanBad is what TestPlansShrink runs.
func TestPlanBad(t *testing.T) {
	if !*planBad {
		return
	}
	rapid.Check(t, func(t *rapid.T) {
		p := stress.Plans(30).Draw(t, "plan")
		for _, n := range p {
			if n.Priority == taskgraph.PriorityHigh && len(n.After) > 0 {
				t.Fatalf("the plan:\n%v", p)
			}
		}
	})
}

func TestPlansShrink(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Log("no processes here")
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestPlanBad$", "-plan.bad", "-rapid.nofailfile",
		"-rapid.seed=7")
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "%s", out)
	text := string(out)
	_, plan, ok := strings.Cut(text[strings.LastIndex(text, "the plan:"):], "\n")
	require.True(t, ok, text)
	require.LessOrEqual(t, strings.Count(plan, " after "), 2, text)
	require.NotContains(t, plan, "background", text)
}
