package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The published sizes of Task Bench's patterns: tasks and dependencies.
func TestPatternsMatchTaskBench(t *testing.T) {
	type size struct{ tasks, edges int }
	for i, want := range [][]size{
		{{92, 0}, {1600, 0}, {64000, 0}},
		{{92, 88}, {1600, 1584}, {64000, 63936}},
		{{92, 220}, {1600, 4554}, {64000, 189810}},
		{{92, 264}, {1600, 4752}, {64000, 191808}},
		{{80, 136}, {1360, 2619}, {59968, 118935}},
		{{87, 86}, {1551, 1550}, {63679, 63678}},
		{{92, 198}, {1600, 4018}, {64000, 170878}},
		{{92, 352}, {1600, 25344}, {64000, 4091904}},
		{{92, 220}, {1600, 7326}, {64000, 313686}},
		{{92, 264}, {1600, 7920}, {64000, 319680}},
		{{92, 125}, {1600, 2805}, {64000, 125874}},
	} {
		kind := patternKinds[i]
		period := 3
		if kind == "spread" {
			period = 2
		}
		for k, p := range []pattern{{kind, 23, 4, 3, period}, {kind, 100, 16, 5, 3},
			{kind, 1000, 64, 5, 3}} {
			g := p.shape()
			require.Equal(t, want[k], size{g.len(), g.edges}, "%+v", p)
		}
	}
}

// The reference vectors of SipHash, for messages of whole words of the bytes 0, 1, 2, ...
func TestSipHash(t *testing.T) {
	var key [16]byte
	for i := range key {
		key[i] = byte(i)
	}
	require.Equal(t, uint64(0x726fdb47dd0e0e31), siphash(key))
	require.Equal(t, uint64(0x93f5f5799a932462), siphash(key, 0x0706050403020100))
}

// A task whose input is missing or old, or that runs twice or not at all, is found.
func TestTaskBenchFindsFaults(t *testing.T) {
	g := pattern{"stencil_1d", 4, 3, 3, 3}.shape()
	order := func(is ...int) func(b *taskBench) error {
		return func(b *taskBench) error {
			for _, i := range is {
				b.body(i)()
			}
			return nil
		}
	}
	var right []int
	for i := range g.len() {
		right = append(right, i)
	}
	b := newTaskBench(g)
	for range 3 {
		require.NoError(t, b.pass(func() error { return order(right...)(b) }))
	}
	for name, c := range map[string]struct {
		is   []int
		want string
	}{
		"twice": {append([]int{0}, right...), "task {0 0} ran 2 times in 1 runs"},
		"never": {right[:11], "task {3 2} ran 0 times in 1 runs"},
		"early": {append([]int{11}, right[:11]...), "2 times an input was missing or wrong"},
		"mostly": {[]int{0, 3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11},
			"1 times an input was missing or wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newTaskBench(g)
			require.EqualError(t, b.pass(func() error { return order(c.is...)(b) }), c.want)
		})
	}
}

// A shape that runs out of order, or not as often as it was run, is found.
func TestCheckedShape(t *testing.T) {
	g := chainShape(3)
	body, check := g.checked()
	for range 2 {
		for i := range 3 {
			body(i)()
		}
		require.NoError(t, check())
	}
	body(1)()
	body(0)()
	body(2)()
	require.EqualError(t, check(), "1 times a task ran before a predecessor")
	require.EqualError(t, check(), "task 0 ran 3 times in 4 runs")
}

func TestMETG(t *testing.T) {
	// With 100 ns of overhead a task, half of the time is work when a task takes 200 ns.
	var grains []grain
	for work := 51_200.0; work >= 1; work /= 2 {
		grains = append(grains, grain{rate: work / (work + 100), each: work + 100})
	}
	got, err := metgOf(grains)
	require.NoError(t, err)
	require.InDelta(t, 200, got, 3)

	_, err = metgOf(nil)
	require.Error(t, err)
	got, err = metgOf([]grain{{1, 50}})
	require.NoError(t, err)
	require.Equal(t, 50.0, got)
}

// Wrong results do not pass.
func TestChecksFail(t *testing.T) {
	require.Error(t, checkSum(1, 10))
	require.NoError(t, checkSum(45, 10))
	require.EqualError(t, equal("it", 1, 2), "it is 1 and not 2")
	fib, forks := fibonacci(25)
	require.Equal(t, []int{75025, 121392}, []int{fib, forks})
	solutions, _ := board{}.count(8)
	require.Equal(t, 92, solutions)
}
