package stuck_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
)

// Only looks that find the same standstill, one after the other, add up, and none counts for more
// than it may.
func TestStandstill(t *testing.T) {
	s := stuck.Standstill[int]{Most: 10}
	look := func(now int64, still bool, of int, age int64, moved bool) {
		t.Helper()
		a, m := s.Look(now, still, of)
		require.Equal(t, age, a)
		require.Equal(t, moved, m)
	}
	look(1000, true, 0, 0, true) // the first look knows nothing, though the state is the zero one
	look(1004, true, 0, 4, false)
	look(1009, true, 0, 9, false)
	look(5000, true, 0, 19, false) // the clock leaps
	look(5001, true, 1, 0, true)
	look(5002, true, 1, 1, false)
	look(5002, true, 1, 1, false) // a coarse clock
	look(5003, false, 1, 0, true)
	look(5004, true, 1, 1, false)
	all := stuck.Standstill[int]{}
	all.Look(0, true, 1)
	age, _ := all.Look(1<<40, true, 1)
	require.Equal(t, int64(1)<<40, age, "without a bound all of it counts")
}

func TestWatchdogTellsWhatLastsOnce(t *testing.T) {
	var w stuck.Watchdog[int]
	now := int64(0)
	look := func(idle bool, stamp uint64, what string) (due, news bool) {
		now += int64(time.Second)
		if due = w.IsDue(now, idle, stamp, 2*time.Second); due {
			news = w.IsNews(what)
		}
		return due, news
	}
	due := func(stamp uint64, what string, want bool) {
		t.Helper()
		due, news := look(true, stamp, what)
		require.True(t, due)
		require.Equal(t, want, news)
	}
	early := func(idle bool, stamp uint64) {
		t.Helper()
		due, _ := look(idle, stamp, "")
		require.False(t, due)
	}
	early(true, 7)
	early(true, 7)
	due(7, "a", false) // found for the first time
	due(7, "a", true)
	due(7, "a", false) // reported
	due(7, "b", false)
	due(7, "", false)
	due(7, "b", false)
	due(7, "b", true)
	early(false, 7) // somebody works
	early(true, 7)
	due(7, "b", false)
	due(7, "b", false) // reported before
	early(true, 8)     // something has run meanwhile
	early(true, 8)
	due(8, "b", false)
	due(8, "b", true)
}

func TestWatchdogTellsSlowBodiesOnce(t *testing.T) {
	var w stuck.Watchdog[int]
	require.Equal(t, []int{1, 2}, w.Fresh([]int{1, 2}, []int{3, 4}))
	require.Equal(t, []int{3}, w.Fresh([]int{1, 3}, nil))
	require.Equal(t, []int{2}, w.Fresh([]int{2, 3}, nil), "it was over, and is another one now")
	require.Empty(t, w.Fresh([]int{3}, []int{2}))
	require.Empty(t, w.Fresh([]int{2, 3}, nil), "it has waited meanwhile")
	require.Empty(t, w.Fresh(nil, nil))
}

func TestKeyOfAReport(t *testing.T) {
	r := &stuck.Report{Stuck: 1, Tasks: []stuck.Task{
		{Name: `event "a"`, State: "untriggered"}, {Name: "runs", State: "executing"}}}
	require.Empty(t, r.Key(), "nobody waits for it")
	r.Tasks[1].State, r.Stuck = "waiting", 2
	key := r.Key()
	require.NotEmpty(t, key)
	r.Tasks[0].Why, r.Tasks[1].Age = "it does not come", time.Second
	require.Equal(t, key, r.Key(), "details change")
	r.Tasks[1].Name = "another"
	require.NotEqual(t, key, r.Key())
}

func TestSlow(t *testing.T) {
	r := stuck.Slow([]stuck.Body{{Name: "task 1", Site: "x.go:1", Age: time.Second,
		GID: goroutine.ID()}, {Name: "fork", GID: 1 << 62}})
	require.NotEmpty(t, r.Tasks[0].Stack)
	require.Empty(t, r.Tasks[1].Stack)
	require.Contains(t, r.String(), "2 bodies have been running for long\n  task 1")
	require.Contains(t, r.String(), "has been running for 1s")
	many := stuck.Slow(make([]stuck.Body, stuck.MaxTasks+2))
	require.Len(t, many.Tasks, stuck.MaxTasks)
	require.Equal(t, 2, many.More)
}
