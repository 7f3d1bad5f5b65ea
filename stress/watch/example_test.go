package watch_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/heddle-go/heddle/stress/watch"
)

// A part of a program that must come to its end.
func ExampleHangs() {
	stop := watch.Hangs(time.Minute, "adding up")
	defer stop()

	parts := make(chan int)
	go func() { parts <- 1 }()
	go func() { parts <- 2 }()
	fmt.Println(<-parts + <-parts)
	// Output: 3
}

// A goroutine that waits until somebody ends it.
func ExampleLeaks() {
	leaked := watch.Leaks()

	ended := make(chan struct{})
	go func() { <-ended }()
	// At this point leaked would return an error that shows where the goroutine waits.

	close(ended)
	fmt.Println(leaked())
	// Output: <nil>
}

// What is known when something hangs.
func ExampleDump() {
	text := watch.Dump("seed 12", func() string { return "3 of 10 done" })
	_, said, _ := strings.Cut(text, "seed")
	fmt.Println(strings.Contains(text, "[running]"), strings.Fields(said))
	// Output: true [12 3 of 10 done]
}
