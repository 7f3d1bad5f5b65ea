package plan_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

func TestThings(t *testing.T) {
	type pair struct{ a, b any }
	for _, thing := range []any{1, "x", new(int), reflect.TypeFor[int](), pair{1, "x"}, [1]any{2},
		make(chan int)} {
		require.True(t, plan.IsThing(thing), "%v", thing)
	}
	for _, thing := range []any{nil, []int{}, map[int]int{}, func() {}, pair{1, []int{}},
		[1]any{func() {}}} {
		require.False(t, plan.IsThing(thing), "%v", thing)
	}
}

func TestTwiceInWords(t *testing.T) {
	for _, c := range []struct {
		twice plan.Twice
		want  string
	}{
		{plan.Twice{Thing: "it", Reads: true}, `reads "it" twice`},
		{plan.Twice{Thing: reflect.TypeFor[int](), Writes: true}, "writes int twice"},
		{plan.Twice{Thing: 3, Reads: true, Writes: true},
			"both reads and writes int(3); Writes alone says both"},
	} {
		require.EqualError(t, c.twice.Err("task 7"), "taskgraph: task 7 "+c.want)
	}
	at := new(int)
	require.ErrorContains(t, (&plan.Twice{Thing: at, Reads: true}).Err("x"), "the *int at 0x")
}
