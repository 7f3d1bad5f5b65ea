package main

import (
	"flag"
	"os"
	"runtime"
	"testing"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
)

// The tests plant workloads that go wrong. Each child that a test starts is this very binary, and
// knows them too.
func TestMain(m *testing.M) {
	workloads = append(workloads, planted...)
	if os.Getenv(childMark) != "" {
		os.Exit(child(os.Stdin, os.Stdout))
	}
	// Tests that are parallel wait for processes, so there may be more of them than processors.
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	watch.Main(m)
}

var planted = []workload{
	{"planted-failure", "nothing", 1, func(j *job) {
		j.count(10)
		if n := j.rnd.IntN(4); n == 0 {
			j.failf("value %d is wrong", j.rnd.IntN(1000))
		}
	}},
	{"planted-hang", "nothing", 1, func(j *job) {
		j.ask(func() string { return "it waits for Godot" })
		hangingHere(make(chan int))
	}},
	{"planted-crash", "nothing", 1, func(*job) {
		go func() { panic("crashing here") }()
		select {}
	}},
	{"planted-panic", "nothing", 1, func(*job) { panic("panicking here") }},
	{"planted-leak", "nothing", 1, func(*job) { go hangingHere(make(chan int)) }},
	{"planted-deaf", "nothing", 1, func(*job) {
		for n := 1; n != 0; n += 2 {
		}
	}},
	{"planted-race", "nothing", 1, func(*job) {
		x, over := 0, make(chan bool)
		go func() { x++; over <- true }()
		x++
		<-over
		runtime.KeepAlive(x)
	}},
}

func hangingHere(c chan int) { <-c }
