package namedthread_test

import (
	"runtime"
	"testing"

	"github.com/heddle-go/heddle/internal/osthread"
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
	th.Post(namedthread.QueueMain, namedthread.PriorityNormal,
		namedthread.Func(func() { close(done) }), 0)
	<-done
	th.Quit()
	<-th.Done()
}

// BenchmarkCurrent asks from a thread, and from a goroutine that is none and is not locked, as most
// are; and what the assertion costs that goes with it. Their yardstick is LockOSThread and its
// opposite with a system call between them, which cannot be had for less.
func BenchmarkCurrent(b *testing.B) {
	b.Run("elsewhere", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			namedthread.Current()
		}
	})
	b.Run("thread", func(b *testing.B) {
		onThread(b, func() { namedthread.Current() })
	})
	b.Run("MustBeCurrent", func(b *testing.B) {
		onThread(b, nil)
	})
	b.Run("yardstick", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			runtime.LockOSThread()
			osthread.ID()
			runtime.UnlockOSThread()
		}
	})
}

// onThread measures f on a named thread; nil is MustBeCurrent.
func onThread(b *testing.B, f func()) {
	th, err := namedthread.NewRegistry().Start("Measured", namedthread.Options{})
	if err != nil {
		b.Fatal(err)
	}
	if f == nil {
		f = th.MustBeCurrent
	}
	b.ReportAllocs()
	done := make(chan struct{})
	th.Post(namedthread.QueueMain, namedthread.PriorityNormal, namedthread.Func(func() {
		for range b.N {
			f()
		}
		close(done)
	}), 0)
	<-done
	th.Quit()
	<-th.Done()
}
