package namedthread_test

import (
	"testing"

	"github.com/heddle-go/heddle/namedthread"
)

type nothing struct{}

func (nothing) RunOn(*namedthread.Thread, uint64) {}

// BenchmarkPostRun is one post and its run, in batches, on one goroutine.
func BenchmarkPostRun(b *testing.B) {
	th, err := namedthread.NewRegistry().Attach("Bench", namedthread.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer th.Detach()
	b.ReportAllocs()
	for i := 0; i < b.N; i += 256 {
		for range min(256, b.N-i) {
			th.Post(namedthread.QueueMain, namedthread.PriorityNormal, nothing{}, 0)
		}
		th.PumpUntilIdle(namedthread.QueueMain)
	}
}

// BenchmarkPostToStarted posts from one goroutine to a thread that runs.
func BenchmarkPostToStarted(b *testing.B) {
	th, err := namedthread.NewRegistry().Start("Bench", namedthread.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for range b.N {
		th.Post(namedthread.QueueMain, namedthread.PriorityNormal, nothing{}, 0)
	}
	done := make(chan struct{})
	th.Post(namedthread.QueueMain, namedthread.PriorityNormal, namedthread.Func(func() { close(done) }), 0)
	<-done
	th.Quit()
	<-th.Done()
}

// BenchmarkCurrent asks from a thread.
func BenchmarkCurrent(b *testing.B) {
	th, err := namedthread.NewRegistry().Attach("Bench", namedthread.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer th.Detach()
	for range b.N {
		namedthread.Current()
	}
}
