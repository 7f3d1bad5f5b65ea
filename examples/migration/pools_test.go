package migration

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/alitto/pond/v2"
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/future"
	"github.com/heddle-go/heddle/taskgraph/parallel"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc/iter"
	"github.com/sourcegraph/conc/pool"
)

func Example_antsSubmit() {
	var sum atomics.Int64
	p, err := ants.NewPool(4)
	if err != nil {
		fmt.Println(err)
	}
	defer p.ReleaseTimeout(time.Second)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Add(1)
		if err := p.Submit(func() { defer wg.Done(); sum.Add(int64(i)) }); err != nil {
			fmt.Println(err)
		}
	}
	wg.Wait()
	fmt.Println(sum.Load())
	// Output: 4950
}

func Example_heddleGroup() {
	var sum atomics.Int64
	sys := taskgraph.Start(taskgraph.Options{Workers: 4})
	g := sys.NewGroup()
	for i := range 100 {
		g.Go(sys, func() { sum.Add(int64(i)) })
	}
	fmt.Println(g.Wait(context.Background()), sum.Load())
	fmt.Println(sys.Shutdown(context.Background()))
	// Output:
	// <nil> 4950
	// <nil>
}

func Example_antsFull() {
	p, err := ants.NewPool(1, ants.WithNonblocking(true))
	if err != nil {
		fmt.Println(err)
	}
	defer p.ReleaseTimeout(time.Second)
	open := make(chan struct{})
	fmt.Println(p.Submit(func() { <-open }))
	err = p.Submit(func() {})
	fmt.Println(errors.Is(err, ants.ErrPoolOverload))
	close(open)
	// Output:
	// <nil>
	// true
}

func Example_heddleFull() {
	sys := taskgraph.Start(taskgraph.Options{MaxTasks: 1, WhenFull: taskgraph.FullError})
	open := make(chan struct{})
	first := sys.Go(func() { <-open })
	err := sys.Go(func() {}).Err()
	fmt.Println(errors.Is(err, graphevent.ErrFull))
	close(open)
	fmt.Println(sys.WaitUntilTasksComplete(context.Background(), first))
	fmt.Println(sys.Shutdown(context.Background()))
	// Output:
	// true
	// <nil>
	// <nil>
}

func Example_pondResult() {
	p := pond.NewResultPool[string](4)
	defer p.StopAndWait()
	task := p.SubmitErr(func() (string, error) { return "woven", nil })
	s, err := task.Wait()
	fmt.Println(s, err)
	// Output: woven <nil>
}

func Example_heddleResult() {
	sys := taskgraph.Start(taskgraph.Options{})
	f := future.Go(sys, func(*taskgraph.Context) (string, error) { return "woven", nil })
	s, err := f.Get(context.Background())
	fmt.Println(s, err)
	fmt.Println(sys.Shutdown(context.Background()))
	// Output:
	// woven <nil>
	// <nil>
}

func Example_concMap() {
	words := []string{"warp", "weft", "shuttle"}
	lengths := iter.Map(words, func(w *string) int { return len(*w) })
	fmt.Println(lengths)
	// Output: [4 4 7]
}

func Example_heddleMap() {
	sys := taskgraph.Start(taskgraph.Options{})
	words := []string{"warp", "weft", "shuttle"}
	lengths := make([]int, len(words))
	err := parallel.Map(sys, lengths, words, func(w string) int { return len(w) })
	fmt.Println(lengths, err)
	fmt.Println(sys.Shutdown(context.Background()))
	// Output:
	// [4 4 7] <nil>
	// <nil>
}

func Example_concPanic() {
	defer func() { fmt.Println("recovered", recover() != nil) }()
	p := pool.New().WithMaxGoroutines(2)
	p.Go(func() { panic("torn") })
	p.Wait() // panics here
	fmt.Println("not reached")
	// Output: recovered true
}

func Example_heddlePanic() {
	sys := taskgraph.Start(taskgraph.Options{})
	err := sys.WaitUntilTasksComplete(context.Background(), sys.Go(func() { panic("torn") }))
	var p *graphevent.PanicError
	if errors.As(err, &p) {
		fmt.Println(p.Value)
	}
	fmt.Println(sys.Shutdown(context.Background()))
	// Output:
	// torn
	// <nil>
}
