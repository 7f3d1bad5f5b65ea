package history_test

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/heddle-go/heddle/stress/history"
)

// A queue that lets the second value out before the first.
func ExampleChecker() {
	calls := []history.Call{
		{Thread: 0, Op: history.OpPush, Arg: 1, Status: history.OK, Begin: 10, End: 20},
		{Thread: 0, Op: history.OpPush, Arg: 2, Status: history.OK, Begin: 30, End: 40},
		{Thread: 1, Op: history.OpPop, Ret: 2, Status: history.OK, Begin: 15, End: 60},
		{Thread: 2, Op: history.OpPop, Ret: 1, Status: history.OK, Begin: 45, End: 70},
	}
	c := history.NewChecker(history.FIFO())
	fmt.Println(c.Linearizable(calls))

	calls[3].Begin = 65 // then nothing else could take the 1 in time
	fmt.Println(c.Linearizable(calls))
	fmt.Print(c.Explain(calls))
	// Output:
	// true
	// false
	// time  thread 0     thread 1
	//   10  [ Push(1)
	//   15  |            [ Pop() = 2
	//   20  '            |
	//   30  [ Push(2)    |
	//   40  '            |
	//   60               '  <- no order explains what has returned
	// before that: Push(1), Push(2)
}

// A channel is a queue: what goroutines got from it, all together.
func ExampleRecorder() {
	const each = 1000
	c := make(chan int64, 3*each)
	r := history.NewRecorder(3, 2*each)
	var all sync.WaitGroup
	for thread := range 3 {
		all.Go(func() {
			log := r.Log(thread) // its own, so that recording orders nothing
			for i := range int64(each) {
				v := int64(thread)*each + i // each value once
				log.Begin(history.OpPush, v)
				c <- v
				log.End(0, history.OK)

				log.Begin(history.OpPop, 0)
				log.End(<-c, history.OK)
			}
		})
	}
	all.Wait()
	var monitor history.FIFOMonitor
	fmt.Println(len(r.Calls()), monitor.Check(r.Calls()))
	// Output: 6000 <nil>
}

// A value overtakes another.
func ExampleFIFOMonitor() {
	var m history.FIFOMonitor
	fmt.Println(m.Check([]history.Call{
		{Op: history.OpPush, Arg: 1, Status: history.OK, Begin: 10, End: 20},
		{Op: history.OpPush, Arg: 2, Status: history.OK, Begin: 30, End: 40},
		{Op: history.OpPop, Ret: 2, Status: history.OK, Begin: 50, End: 60},
		{Op: history.OpPop, Ret: 1, Status: history.OK, Begin: 70, End: 80},
	}))
	// Output:
	// history: Push(1) by 0 from 10 to 20 before Push(2) by 0 from 30 to 40, but Pop() = 2 by 0 from 50 to 60, and Pop() = 1 by 0 from 70 to 80
}

// A pop that takes from level 1 while a value of level 0 is there.
func ExampleLevelChecker() {
	c := history.NewLevelChecker(history.Levels(), 2)
	low, high := history.Leveled(1, 1), history.Leveled(2, 0)
	fmt.Print(c.Explain([]history.Call{
		{Thread: 0, Op: history.OpPush, Arg: low, Status: history.OK, Begin: 10, End: 20},
		{Thread: 0, Op: history.OpPush, Arg: high, Status: history.OK, Begin: 30, End: 40},
		{Thread: 1, Op: history.OpPop, Ret: low, Status: history.OK, Begin: 50, End: 60},
	}))
	// Output:
	// level 0, where a call that took from below saw it empty:
	// time  thread 0             thread 1
	//   30  [ Push(2/level 0)
	//   40  '
	//   50                       [ Pop() = no
	//   60                       '  <- no order explains what has returned
	// before that: Push(2/level 0)
}

// A counter that two goroutines bump, in many short histories.
func ExampleWindows() {
	const add = 0 // returns the count before
	count := history.Spec[int64]{Step: func(n int64, c *history.Call) (int64, bool) {
		return n + 1, c.Ret == n
	}}
	checker := history.NewChecker(count)
	wrong := 0
	w := history.Windows[*counter]{
		Threads: 2,
		Count:   1000,
		Prepare: func(int) *counter { return &counter{} },
		Calls: func(c *counter, log *history.Log, _ *rand.Rand) {
			for range 3 {
				log.Begin(add, 0)
				log.End(c.add(), history.OK)
			}
		},
		Judge: func(calls []history.Call) bool {
			if !checker.Linearizable(calls) {
				wrong++
			}
			return true
		},
	}
	played, _ := w.Play()
	fmt.Println(played, wrong)
	// Output: 1000 0
}

// A counter is what ExampleWindows tests.
type counter struct {
	mu sync.Mutex
	n  int64
}

func (c *counter) add() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n - 1
}
