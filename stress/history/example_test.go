package history_test

import (
	"fmt"

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
