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

// A goroutine that nobody ends.
func ExampleLeaks() {
	leaked := watch.Leaks()

	forever := make(chan struct{})
	go func() { <-forever }()
	fmt.Println(strings.Contains(leaked().Error(), "ExampleLeaks"))

	close(forever)
	fmt.Println(leaked())
	// Output:
	// true
	// <nil>
}

// What is known when something hangs.
func ExampleDump() {
	text := watch.Dump("seed 12", func() string { return "3 of 10 done" })
	_, said, _ := strings.Cut(text, "seed")
	fmt.Println(strings.Contains(text, "[running]"), strings.Fields(said))
	// Output: true [12 3 of 10 done]
}
