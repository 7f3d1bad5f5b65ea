package sleepevent_test

import (
	"fmt"
	"sync"

	"github.com/heddle-go/heddle/sleepevent"
)

// A pool of two workers that share a queue. What runs first is not fixed, so the example
// prints a sum.
func Example() {
	const workers = 2
	g := sleepevent.NewGroup(workers, sleepevent.Options{})
	var (
		mu    sync.Mutex
		queue []int
		sum   int
		tasks sync.WaitGroup
		ended sync.WaitGroup
	)
	pop := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(queue) == 0 {
			return 0, false
		}
		n := queue[0]
		queue = queue[1:]
		return n, true
	}
	more := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(queue) > 0
	}
	worker := func(i int) {
		g.BeginSearch()
		for !g.Closed() {
			n, ok := pop()
			if !ok {
				g.Idle(i, more)
				continue
			}
			g.EndSearch()
			if more() {
				g.Wake() // bring up another worker
			}
			mu.Lock()
			sum += n
			mu.Unlock()
			tasks.Done()
			g.BeginSearch()
		}
		g.EndSearch()
	}
	for i := range workers {
		ended.Go(func() { worker(i) })
	}
	for n := 1; n <= 100; n++ {
		tasks.Add(1)
		mu.Lock()
		queue = append(queue, n)
		mu.Unlock()
		g.Wake() // after the work is in the queue
	}
	tasks.Wait()
	g.Close()
	ended.Wait()
	fmt.Println(sum)
	// Output: 5050
}

func ExampleSignal() {
	var ready sleepevent.Signal
	result := 0
	go func() {
		result = 42
		ready.Trigger()
	}()
	ready.Wait()
	fmt.Println(result)
	// Output: 42
}
