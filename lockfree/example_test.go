package lockfree_test

import (
	"fmt"

	"github.com/heddle-go/heddle/lockfree"
)

func Example() {
	var q lockfree.Queue[string] // ready as it is
	q.Push("first")
	q.Push("second")
	for {
		v, ok := q.Pop()
		if !ok {
			break
		}
		fmt.Println(v)
	}
	// Output:
	// first
	// second
}

func ExampleStack() {
	var free lockfree.Stack[int]
	for i := range 4 {
		free.Push(i)
	}
	v, ok := free.Pop()
	fmt.Println(v, ok)
	fmt.Println(free.PopAll(nil))
	// Output:
	// 3 true
	// [2 1 0]
}

func ExamplePriorityQueue() {
	q := lockfree.NewPriorityQueue[string](2)
	q.Push("wash up", 1)
	q.Push("put out the fire", 0)
	for {
		v, ok := q.Pop()
		if !ok {
			break
		}
		fmt.Println(v)
	}
	// Output:
	// put out the fire
	// wash up
}

func ExampleDeque() {
	var d lockfree.Deque[uint32] // this goroutine owns it
	d.Push(1)
	d.Push(2)
	d.Push(3)

	stolen, _ := d.Steal() // any goroutine may
	fmt.Println("the thief got", stolen)
	for {
		v, ok := d.Pop()
		if !ok {
			break
		}
		fmt.Println("the owner got", v)
	}
	// Output:
	// the thief got 1
	// the owner got 3
	// the owner got 2
}

func ExampleRing() {
	r := lockfree.NewRing[string](2) // full or empty, a call does not wait for the other side
	fmt.Println(r.TryPush("a"), r.TryPush("b"), r.TryPush("c"))
	fmt.Println(r.TryPop())
	fmt.Println(r.TryPush("d"))
	for v := range r.Drain() {
		fmt.Println(v)
	}
	// Output:
	// true true false
	// a true
	// true
	// b
	// d
}

// Several values at once cost fewer atomic operations than one after the other.
func ExampleIndexQueue() {
	// The queue holds indices of what lies elsewhere, and takes no memory for them once it has
	// grown.
	jobs := []string{"load", "decode", "play"}
	var queue lockfree.IndexQueue[uint32]
	for i := range jobs {
		queue.Push(uint32(i))
	}

	var next [2]uint32
	for _, i := range next[:queue.PopN(next[:])] { // up to two at once
		fmt.Println(jobs[i])
	}
	i, ok := queue.Pop()
	fmt.Println(jobs[i], ok)
	_, ok = queue.Pop()
	fmt.Println(ok)
	// Output:
	// load
	// decode
	// play true
	// false
}

func ExampleSPSCQueue() {
	var q lockfree.SPSCQueue[int] // one goroutine pushes, one pops
	q.PushAll([]int{1, 2, 3, 4, 5})
	buf := make([]int, 3)
	fmt.Println(buf[:q.PopN(buf)])
	fmt.Println(buf[:q.PopN(buf)])
	fmt.Println(buf[:q.PopN(buf)])
	// Output:
	// [1 2 3]
	// [4 5]
	// []
}

// The samples of a decoder, for the callback of a sound card, which must not wait: what is not
// there in time is silence.
func ExampleSPSCRing() {
	samples := lockfree.NewSPSCRing[int16](8)
	decode := func(block []int16) (later []int16) { return block[samples.TryPushN(block):] }
	play := func(out []int16) {
		n := samples.TryPopN(out)
		clear(out[n:])
	}

	later := decode([]int16{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	out := make([]int16, 5)
	play(out)
	fmt.Println(out)
	fmt.Println("left to decode again:", decode(later))
	play(out)
	fmt.Println(out)
	play(out)
	fmt.Println(out)
	// Output:
	// [1 2 3 4 5]
	// left to decode again: []
	// [6 7 8 9 10]
	// [0 0 0 0 0]
}

// A worker takes the newest of its own tasks, or else the oldest of somebody else's.
func ExamplePointerDeque() {
	type task struct{ name string }
	deques := make([]lockfree.PointerDeque[task], 2)
	find := func(me int) *task {
		if mine, ok := deques[me].Pop(); ok {
			return mine
		}
		for victim := range deques {
			for victim != me {
				stolen, r := deques[victim].Steal()
				if r == lockfree.StealOK {
					return stolen
				}
				if r == lockfree.StealEmpty {
					break
				}
			}
		}
		return nil
	}

	deques[0].PushAll([]*task{{"old"}, {"middle"}, {"new"}})
	fmt.Println(find(0).name, find(1).name, find(0).name, find(1))
	// Output:
	// new old middle <nil>
}

// Tasks that wait for a task register in a word of that one, and hold their own links.
func ExampleClosableHead() {
	type task struct {
		name    string
		waiting lockfree.ClosableHead
		next    uint32
	}
	tasks := []task{{}, {name: "load"}, {name: "cull"}, {name: "draw"}}
	next := func(link uint32) *uint32 { return &tasks[link].next }

	load := &tasks[1]
	gen, _ := load.waiting.State()
	fmt.Println(load.waiting.TryPush(gen, 2, next(2)), load.waiting.TryPush(gen, 3, next(3)))

	list, _ := load.waiting.Next(gen) // done, and ready to be used again
	for link := lockfree.ReverseLinks(list, next); link != 0; {
		task := &tasks[link]
		link = task.next // before the task may be used again
		fmt.Println("go on with", task.name)
	}
	fmt.Println(load.waiting.TryPush(gen, 2, next(2)), "for whoever is late")
	// Output:
	// true true
	// go on with cull
	// go on with draw
	// false for whoever is late
}

func ExampleClosableList() {
	var waiting lockfree.ClosableList[string]
	waiting.TryPush("a")
	waiting.TryPush("b")

	notify, ok := waiting.Close(nil)
	fmt.Println(notify, ok)
	fmt.Println("registered:", waiting.TryPush("too late"))
	// Output:
	// [a b] true
	// registered: false
}

// An owner that sleeps whenever there is nothing to do, until its queue is closed. Its event is a
// channel that remembers one wake-up.
func ExampleStallingQueue() {
	const urgent, normal = 0, 1
	var queue lockfree.StallingQueue[string]
	event := make(chan struct{}, 1)
	done := make(chan struct{})

	go func() {
		defer close(done)
		var work []string
		for {
			closed := queue.Closed() // before the look: nothing comes after it
			work = queue.PopAll(urgent, work[:0])
			work = queue.PopAll(normal, work)
			for _, what := range work {
				fmt.Println(what)
			}
			if closed {
				return
			}
			if queue.Stall(lockfree.Mark{}) { // if it is still empty
				if !queue.Closed() {
					<-event
				}
				queue.Unstall()
			}
		}
	}()

	for _, what := range []string{"one", "two", "three"} {
		if wake, _ := queue.Push(what, normal); wake {
			event <- struct{}{}
		}
	}
	if wake, _ := queue.Close(); wake {
		event <- struct{}{}
	}
	<-done
	_, ok := queue.Push("late", urgent)
	fmt.Println("late:", ok)
	// Output:
	// one
	// two
	// three
	// late: false
}
