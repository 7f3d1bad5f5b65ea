package modelcheck_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

type engine = modelcheck.Engine

// explore runs a model under one explorer. The body adds the threads.
func explore(cfg modelcheck.Config, x modelcheck.Explorer, limit int,
	body func(e *engine)) modelcheck.Result {
	e := modelcheck.NewEngine(cfg)
	defer e.Close()
	return e.Explore(x, limit, nil, func() { body(e); e.Run() })
}

// explorers are all that search.
var explorers = map[string]func() modelcheck.Explorer{
	"depth-first": func() modelcheck.Explorer {
		return modelcheck.NewDepthFirst(modelcheck.Unbounded)
	},
	"bound 2": func() modelcheck.Explorer { return modelcheck.NewDepthFirst(2) },
	"DPOR":    func() modelcheck.Explorer { return modelcheck.NewDPOR() },
	"random":  func() modelcheck.Explorer { return modelcheck.NewRandomWalk(1, 2000) },
	"PCT":     func() modelcheck.Explorer { return modelcheck.NewPCT(1, 3, 2000) },
}

// fails explores a model by every explorer, expects each to find a failure of the kind, and
// the failure's schedule to replay it, with the same text and trace.
func fails(t *testing.T, cfg modelcheck.Config, kind modelcheck.Kind,
	body func(e *engine)) *modelcheck.Failure {
	t.Helper()
	var f *modelcheck.Failure
	for name, x := range explorers {
		res := explore(cfg, x(), 0, body)
		require.NotNil(t, res.Failure, name)
		require.Equal(t, kind, res.Failure.Kind, "%s: %s", name, res.Failure.Text)
		require.NotContains(t, res.Failure.Trace, "did not fail in the same way", name)
		f = res.Failure
		replays(t, cfg, f, body)
	}
	return f
}

func replays(t *testing.T, cfg modelcheck.Config, f *modelcheck.Failure, body func(e *engine)) {
	t.Helper()
	x, err := modelcheck.NewReplay(f.Schedule)
	require.NoError(t, err)
	again := explore(cfg, x, 0, body).Failure
	require.NotNil(t, again, "schedule %s", f.Schedule)
	require.Equal(t, f.Kind, again.Kind)
	require.Equal(t, f.Schedule, again.Schedule)
	require.Equal(t, f.Preemptions, again.Preemptions)
	require.Equal(t, f.Trace, again.Trace)
	if f.Kind != modelcheck.KindPanic { // its text has a stack
		require.Equal(t, f.Text, again.Text)
	}
}

// passes explores a model by every explorer, and expects none to find anything.
func passes(t *testing.T, cfg modelcheck.Config, body func(e *engine)) {
	t.Helper()
	for name, x := range explorers {
		res := explore(cfg, x(), 0, body)
		if f := res.Failure; f != nil {
			t.Fatalf("%s: %s %s\n%s", name, f.Kind, f.Text, f.Trace)
		}
		require.True(t, res.Complete, name)
	}
}

// The waker looks for a sleeper before the sleeper says that it sleeps.
func lostWakeUp(limit int64) func(e *engine) {
	return func(e *engine) {
		var ready, asleep, futex modelcheck.Uint32
		e.Thread(func() {
			if ready.Load() == 0 {
				asleep.Store(1)
				modelcheck.FutexWait(&futex, 0, limit)
			}
		})
		e.Thread(func() {
			ready.Store(1)
			if asleep.Load() == 1 {
				futex.Store(1)
				modelcheck.FutexWake(&futex, 1)
			}
		})
	}
}

func TestLostWakeUpIsADeadlock(t *testing.T) {
	f := fails(t, modelcheck.Config{}, modelcheck.KindDeadlock, lostWakeUp(-1))
	require.Contains(t, f.Text, "thread A waits to be woken, word 3")
	require.NotContains(t, f.Text, "thread B")
}

func TestTimedWaitMasksALostWakeUp(t *testing.T) {
	fails(t, modelcheck.Config{Timers: modelcheck.TimersNever}, modelcheck.KindDeadlock,
		lostWakeUp(5))
	passes(t, modelcheck.Config{Timers: modelcheck.TimersOnTime}, lostWakeUp(5))
	passes(t, modelcheck.Config{Timers: modelcheck.TimersEarly}, lostWakeUp(5))
}

// On time the earliest limit comes first, and only when nobody else can move.
func TestTimersOnTime(t *testing.T) {
	passes(t, modelcheck.Config{Timers: modelcheck.TimersOnTime}, func(e *engine) {
		var a, b, order, other modelcheck.Uint32
		e.Thread(func() {
			if modelcheck.FutexWait(&a, 0, 20) || order.Add(1) != 2 || modelcheck.Now() <= 20 {
				e.Fail(modelcheck.KindAssertion, "the later limit")
			}
		})
		e.Thread(func() {
			if modelcheck.FutexWait(&b, 0, 10) || order.Add(1) != 1 || other.Load() != 1 {
				e.Fail(modelcheck.KindAssertion, "the earlier limit")
			}
		})
		e.Thread(func() { other.Store(1) })
	})
}

// Early, a limit may come before a wake that is on its way, or not.
func TestTimersEarly(t *testing.T) {
	for _, name := range []string{"depth-first", "DPOR", "random"} {
		seen := map[bool]int{}
		res := explore(modelcheck.Config{Timers: modelcheck.TimersEarly}, explorers[name](), 0,
			func(e *engine) {
				var w modelcheck.Uint32
				woken := true
				e.Thread(func() { woken = modelcheck.FutexWait(&w, 0, 10) })
				e.Thread(func() {
					modelcheck.FutexWake(&w, 1)
					w.Store(1)
					modelcheck.FutexWake(&w, 1)
				})
				if e.Run() {
					seen[woken]++
				}
			})
		require.Nil(t, res.Failure)
		require.Positive(t, seen[true], name)
		require.Positive(t, seen[false], name)
	}
}

// The longest waiting are woken first, and no more than asked for.
func TestWakesInOrder(t *testing.T) {
	res := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(0), 1, func(e *engine) {
		var w, order modelcheck.Uint32
		var woken []int
		note := func(v int) {
			order.Add(1) // what was noted before happens before
			woken = append(woken, v)
			order.Add(1)
		}
		for i := range 3 {
			e.Thread(func() {
				modelcheck.FutexWait(&w, 0, -1)
				note(i)
			})
		}
		e.Thread(func() {
			for range 3 {
				note(10 + modelcheck.FutexWake(&w, 2))
			}
		})
		e.Run()
		require.Equal(t, []int{12, 11, 10, 0, 1, 2}, woken)
	})
	require.Nil(t, res.Failure)
	require.Equal(t, 1, res.Executions)
}

func TestEndlessLoopIsALivelock(t *testing.T) {
	f := fails(t, modelcheck.Config{Steps: 50}, modelcheck.KindLivelock, func(e *engine) {
		var w modelcheck.Uint32
		e.Thread(func() {
			for {
				w.Add(1)
			}
		})
	})
	require.Contains(t, f.Text, "no end after 50 steps")
}

func TestSpinningForNothingIsALivelock(t *testing.T) {
	f := fails(t, modelcheck.Config{}, modelcheck.KindLivelock, func(e *engine) {
		var a, b modelcheck.Uint32
		for _, w := range []*modelcheck.Uint32{&a, &b} {
			e.Thread(func() {
				for w.Load() == 0 {
					modelcheck.Yield()
				}
			})
		}
	})
	require.Contains(t, f.Text, "only spin")
	require.Contains(t, f.Text, "thread B spins")
}

func TestEndlessChoiceIsALivelock(t *testing.T) {
	for _, x := range []modelcheck.Explorer{modelcheck.NewDepthFirst(0), modelcheck.NewDPOR(),
		modelcheck.NewRandomWalk(1, 1)} {
		res := explore(modelcheck.Config{}, x, 0, func(e *engine) {
			e.Thread(func() {
				for {
					modelcheck.Choose(2)
				}
			})
		})
		require.NotNil(t, res.Failure)
		require.Equal(t, modelcheck.KindLivelock, res.Failure.Kind)
	}
}

// frozen suspends each thread at each place, and returns the first failure.
func frozen(body func(e *engine)) *modelcheck.Failure {
	for thread := range modelcheck.MaxThreads {
		for step := 1; ; step++ {
			cfg := modelcheck.Config{FreezeThread: thread, FreezeStep: step}
			res := explore(cfg, modelcheck.NewDepthFirst(modelcheck.Unbounded), 0, body)
			if res.Failure != nil {
				return res.Failure
			}
			if !res.Reached {
				break
			}
		}
	}
	return nil
}

func TestFreezeUnmasksALock(t *testing.T) {
	lock := func(e *engine) {
		var held modelcheck.Bool
		var n modelcheck.Uint32
		for range 2 {
			e.Thread(func() {
				for held.Swap(true) {
					modelcheck.Yield()
				}
				n.Store(n.Load() + 1)
				held.Store(false)
			})
		}
	}
	passes(t, modelcheck.Config{}, lock)
	f := frozen(lock)
	require.NotNil(t, f)
	require.Equal(t, modelcheck.KindBlocking, f.Kind)
	require.Contains(t, f.Text, "thread A is suspended, and is about to load")
	require.Contains(t, f.Text, "thread B spins")
	require.Contains(t, f.Schedule, "!")
	replays(t, modelcheck.Config{}, f, lock) // the schedule says who stands still

	require.Nil(t, frozen(func(e *engine) {
		var n modelcheck.Uint32
		for range 2 {
			e.Thread(func() {
				for {
					if v := n.Load(); n.CompareAndSwap(v, v+1) {
						return
					}
				}
			})
		}
	}))
}

// The second half of the protocol is the other's only if it helps.
func TestFreezeInTheMiddleOfAProtocol(t *testing.T) {
	protocol := func(help bool) func(e *engine) {
		return func(e *engine) {
			var head, tail modelcheck.Uint32
			for range 2 {
				e.Thread(func() {
					for {
						h := head.Load()
						if tail.Load() != h {
							if help {
								tail.CompareAndSwap(h-1, h)
							} else {
								modelcheck.Yield()
							}
							continue
						}
						if head.CompareAndSwap(h, h+1) {
							tail.CompareAndSwap(h, h+1)
							return
						}
					}
				})
			}
		}
	}
	require.Nil(t, frozen(protocol(true)))
	require.Equal(t, modelcheck.KindBlocking, frozen(protocol(false)).Kind)
}

// racy is a lost update, with a way to tell of it.
func racy(tell func(e *engine)) func(e *engine) {
	return func(e *engine) {
		var n modelcheck.Uint32
		e.Thread(func() { n.Store(n.Load() + 1) })
		e.Thread(func() {
			v := n.Load()
			n.Store(v + 1)
			if n.Load() != 2 && v == 1 || n.Load() == 1 && v == 0 {
				tell(e)
			}
		})
	}
}

func TestFailuresOfAThread(t *testing.T) {
	f := fails(t, modelcheck.Config{}, modelcheck.KindPanic, racy(func(*engine) { panic("lost") }))
	require.Contains(t, f.Text, "thread B panicked: lost")
	require.Contains(t, f.Text, "engine_test.go")
	f = fails(t, modelcheck.Config{}, modelcheck.KindPanic, racy(func(*engine) {
		runtime.Goexit()
	}))
	require.Contains(t, f.Text, "thread B ended by runtime.Goexit")
	f = fails(t, modelcheck.Config{}, modelcheck.KindAssertion, racy(func(e *engine) {
		e.Fail(modelcheck.KindAssertion, "lost")
		panic("a thread that has failed goes no further")
	}))
	require.Equal(t, "lost", f.Text)
}

func TestFailNowInAThread(t *testing.T) {
	fake := &testing.T{}
	f := fails(t, modelcheck.Config{}, modelcheck.KindPanic, racy(func(*engine) { fake.FailNow() }))
	require.Contains(t, f.Text, "Goexit")
	require.True(t, fake.Failed())
}

func TestFailuresOfTheBody(t *testing.T) {
	thread := func(e *engine) {
		var w modelcheck.Uint32
		e.Thread(func() { w.Store(1) })
	}
	fails(t, modelcheck.Config{}, modelcheck.KindAssertion, func(e *engine) {
		e.Fail(modelcheck.KindAssertion, "the set-up")
		thread(e)
	})
	fails(t, modelcheck.Config{}, modelcheck.KindPanic, func(e *engine) {
		thread(e)
		panic("the set-up")
	})
	ran := false
	f := explore(modelcheck.Config{}, modelcheck.NewDPOR(), 0, func(e *engine) {
		thread(e)
		if ran = e.Run(); ran {
			panic("after")
		}
	}).Failure
	require.True(t, ran)
	require.Equal(t, modelcheck.KindPanic, f.Kind)
	require.Contains(t, f.Text, "the body of the model panicked: after")
}

// A body that ends its goroutine leaves an engine that works.
func TestGoexitOfTheBody(t *testing.T) {
	e := modelcheck.NewEngine(modelcheck.Config{})
	defer e.Close()
	body := func() {
		var w modelcheck.Uint32
		e.Thread(func() { w.Add(1) })
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Explore(modelcheck.NewDPOR(), 0, nil, func() { body(); runtime.Goexit() })
	}()
	<-done
	require.Nil(t, e.Explore(modelcheck.NewDPOR(), 0, nil, body).Failure)
	require.False(t, modelcheck.Inside())
}

func TestThreadsThatStartThreads(t *testing.T) {
	passes(t, modelcheck.Config{}, func(e *engine) {
		var sum, done modelcheck.Uint32
		var chain func(n uint32) func()
		chain = func(n uint32) func() {
			return func() {
				if n > 0 {
					modelcheck.Go(func() {}) // is done before its first step
					modelcheck.Go(chain(n - 1))
				}
				sum.Add(n)
				done.Add(1)
			}
		}
		e.Thread(chain(2))
		if e.Run() && (sum.Load() != 3 || done.Load() != 3) {
			e.Fail(modelcheck.KindAssertion, fmt.Sprint(sum.Load(), done.Load()))
		}
	})
}

func TestTooManyThreads(t *testing.T) {
	body := func(n int) func(e *engine) {
		return func(e *engine) {
			var w modelcheck.Uint32
			e.Thread(func() {
				for range n - 1 {
					modelcheck.Go(func() { w.Load() })
				}
			})
		}
	}
	require.Nil(t, explore(modelcheck.Config{}, modelcheck.NewDepthFirst(0), 0,
		body(modelcheck.MaxThreads)).Failure)
	f := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(0), 0,
		body(modelcheck.MaxThreads+1)).Failure
	require.Contains(t, f.Text, "more than 8 threads")
	f = explore(modelcheck.Config{}, modelcheck.NewDepthFirst(0), 0, func(e *engine) {
		for range modelcheck.MaxThreads + 1 {
			e.Thread(func() {})
		}
	}).Failure
	require.Contains(t, f.Text, "more than 8 threads")
}

// A program that keeps state from one execution to the next does not do the same each time.
func TestNondeterminismIsReported(t *testing.T) {
	programs := map[string]func(e *engine, n int){
		"another word": func(e *engine, n int) {
			var w [2]modelcheck.Uint32
			e.Thread(func() { w[0].Load(); w[1].Load(); w[n%2].Store(1); w[0].Load(); w[1].Load() })
			e.Thread(func() { w[0].Store(2); w[1].Store(1) })
		},
		"another step": func(e *engine, n int) {
			var w modelcheck.Uint32
			e.Thread(func() {
				if n%3 == 1 {
					w.Load()
				} else {
					w.Store(1)
				}
				w.Store(2)
			})
			e.Thread(func() { w.Store(3) })
		},
		"shorter": func(e *engine, n int) {
			var w modelcheck.Uint32
			for range 2 {
				e.Thread(func() {
					for range max(4-n, 1) {
						w.Add(1)
					}
				})
			}
		},
		"another choice": func(e *engine, n int) {
			var w modelcheck.Uint32
			e.Thread(func() { w.Load(); modelcheck.Choose(2 + n); w.Load() })
		},
		"fewer threads": func(e *engine, n int) {
			var w modelcheck.Uint32
			for range 2 + n%2 {
				e.Thread(func() { w.Add(1) })
			}
		},
	}
	for name, program := range programs {
		for _, x := range []string{"depth-first", "bound 2", "DPOR"} {
			n := 0
			res := explore(modelcheck.Config{}, explorers[x](), 1000, func(e *engine) {
				program(e, n)
				n++
			})
			require.NotNil(t, res.Failure, "%s, %s", name, x)
			require.Equal(t, modelcheck.KindDeterminism, res.Failure.Kind, "%s, %s", name, x)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, name := range []string{"depth-first", "DPOR"} {
		seen := map[[2]int]int{}
		res := explore(modelcheck.Config{}, explorers[name](), 0, func(e *engine) {
			var got [2]int
			var w modelcheck.Uint32
			e.Thread(func() { got[0] = modelcheck.Choose(256); w.Load() })
			e.Thread(func() { got[1] = modelcheck.Choose(3) })
			if e.Run() {
				seen[got]++
			}
		})
		require.Nil(t, res.Failure)
		require.Len(t, seen, 768, name)
		require.Equal(t, 768, res.Executions, name)
	}
	f := fails(t, modelcheck.Config{}, modelcheck.KindAssertion, func(e *engine) {
		var w modelcheck.Uint32
		e.Thread(func() {
			w.Load()
			if a := modelcheck.Choose(4); a == 2 && modelcheck.Choose(2) == 1 {
				e.Fail(modelcheck.KindAssertion, "chosen")
			}
		})
	})
	require.Equal(t, "A1#2#1", f.Schedule)
	f = explore(modelcheck.Config{}, modelcheck.NewDPOR(), 0, func(e *engine) {
		e.Thread(func() { modelcheck.Choose(257) })
	}).Failure
	require.Contains(t, f.Text, "Choose of more than 256")
}

// What a thread has deferred is carried out when its execution is given up, also if that
// panics or has no end, and the next execution begins with everything new.
func TestUnwinding(t *testing.T) {
	var deferred [2]int
	var shared modelcheck.Uint32 // reused from execution to execution
	e := modelcheck.NewEngine(modelcheck.Config{})
	defer e.Close()
	for round := range 5 {
		res := e.Explore(modelcheck.NewDepthFirst(1), 0, nil, func() {
			shared = modelcheck.Uint32{}
			var w modelcheck.Uint32
			for i := range deferred {
				e.Thread(func() {
					defer func() {
						deferred[i]++
						shared.Add(1)
						modelcheck.Yield()
						modelcheck.Go(func() { panic("not started") })
						if modelcheck.Choose(2) == 1 {
							panic("nothing is left to choose")
						}
						switch round {
						case 1:
							panic("on the way out")
						case 2:
							for {
								w.Load()
							}
						case 3:
							runtime.Goexit()
						}
					}()
					w.Load()
					modelcheck.FutexWait(&w, 0, -1)
				})
			}
			if shared.Load() != 0 {
				panic("a word kept its value")
			}
		})
		require.Equal(t, modelcheck.KindDeadlock, res.Failure.Kind, "round %d", round)
		require.Equal(t, uint32(2), shared.Load())
		require.Equal(t, [2]int{2 * (round + 1), 2 * (round + 1)}, deferred,
			"twice, as the failure is run again for its trace")
	}
}

func TestTooManyWords(t *testing.T) {
	if testing.Short() {
		t.Skip("many words")
	}
	f := explore(modelcheck.Config{Steps: 1 << 20}, modelcheck.NewDepthFirst(0), 0,
		func(e *engine) {
			words := make([]modelcheck.Uint32, 1<<16)
			e.Thread(func() {
				for i := range words {
					words[i].Load()
				}
			})
		}).Failure
	require.NotNil(t, f)
	require.Contains(t, f.Text, "more than 65535 words")
}

// DPOR counts steps in 16 bits.
func TestTooManyStepsForDPOR(t *testing.T) {
	if testing.Short() {
		t.Skip("many steps")
	}
	f := explore(modelcheck.Config{Steps: 1 << 20}, modelcheck.NewDPOR(), 0, func(e *engine) {
		var w modelcheck.Uint32
		e.Thread(func() {
			for range 1 << 17 {
				w.Load()
			}
		})
	}).Failure
	require.NotNil(t, f)
	require.Contains(t, f.Text, "no end after 65535 steps and choices")
}

func TestWordsOutsideOfAModel(t *testing.T) {
	var w modelcheck.Uint32
	require.False(t, modelcheck.Inside())
	require.Zero(t, modelcheck.Choose(3))
	modelcheck.Yield()
	modelcheck.Note(func() string { panic("no trace") })
	w.Store(3)
	require.True(t, w.CompareAndSwap(3, 4))
	require.Equal(t, uint32(6), w.Add(2))
	done := make(chan bool)
	modelcheck.Go(func() { done <- modelcheck.Inside() })
	require.False(t, <-done)
}

// Models in two goroutines take turns.
func TestEnginesTakeTurns(t *testing.T) {
	var all sync.WaitGroup
	counts := make([]int, 4)
	for i := range counts {
		all.Go(func() {
			counts[i] = explore(modelcheck.Config{}, modelcheck.NewDepthFirst(modelcheck.Unbounded),
				0, func(e *engine) {
					var w modelcheck.Uint32
					for range 2 {
						e.Thread(func() { w.Add(1); w.Add(1); w.Add(1) })
					}
				}).Executions
		})
	}
	all.Wait()
	require.Equal(t, []int{20, 20, 20, 20}, counts)
}

// patience is that of the children that hang. In the others a busy machine may take longer for a
// step.
const patience = 200 * time.Millisecond

// children are programs that the test binary is when it is started as a child.
var children = map[string]func(){
	"blocked": func() {
		lostThread(func() { <-make(chan int) })
	},
	"endless": func() {
		lostThread(func() {
			for {
				runtime.Gosched()
			}
		})
	},
	"blocked body": func() {
		modelcheck.SetPatience(patience)
		explore(modelcheck.Config{}, modelcheck.NewDPOR(), 0, func(*engine) { select {} })
	},
}

// child runs the test binary as a program of children.
func child(t *testing.T, name string) (output string, err error) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childKey+"="+name)
	out, err := cmd.CombinedOutput()
	return strings.ReplaceAll(string(out), "\r\n", "\n"), err
}

// lostThread prints what becomes of a model with a thread that does not come back, of the next one,
// and of a test without a model.
func lostThread(f func()) {
	modelcheck.SetPatience(patience)
	for _, last := range []func(){f, func() {}} {
		res := explore(modelcheck.Config{}, modelcheck.NewDPOR(), 0, func(e *engine) {
			var w modelcheck.Uint32
			e.Thread(func() { w.Store(1); last() })
			e.Thread(func() { w.Load() })
		})
		fmt.Println(res.Failure.Kind, res.Failure.Schedule, res.Failure.Text)
	}
	var w modelcheck.Uint32
	fmt.Println("word", w.Add(1))
}

// The one model fails, and says which thread is lost and where. No later model of the process is
// believed, but everything else goes on.
func TestLostThreadFailsItsModel(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"blocked", "endless"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // each waits in a process of its own
			out, err := child(t, name)
			require.NoError(t, err, out)
			require.Regexp(t,
				`(?s)^unseen [AB12]+ thread A has not come back for 200ms; it blocks, or loops, without a step:
goroutine \d+ .*engine_test.go.*
unseen  this process can check nothing more: thread A has not come back.*
word 1
$`, out)
			require.NotContains(t, out, "\ngoroutine 1 [", "stacks of others")
		})
	}
}

func TestWatchdogEndsABlockedBody(t *testing.T) {
	t.Parallel() // it waits in a process of its own
	out, err := child(t, "blocked body")
	require.Error(t, err)
	require.Contains(t, out, "modelcheck: the body of a model has not come back for 200ms")
	require.Contains(t, out, "engine_test.go", "the stack of the body")
}

// A word of an earlier execution would carry its value into the next.
func TestKeptWord(t *testing.T) {
	var kept modelcheck.Uint32
	f := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(1), 0, func(e *engine) {
		e.Thread(func() { kept.Add(1) })
		e.Thread(func() { kept.Load() })
	}).Failure
	require.NotNil(t, f)
	require.Equal(t, modelcheck.KindDeterminism, f.Kind)
	require.Contains(t, f.Text, "a word was kept from an earlier execution")
	// another engine
	f = explore(modelcheck.Config{}, modelcheck.NewDepthFirst(1), 1, func(e *engine) {
		e.Thread(func() { kept.Load() })
	}).Failure
	require.NotNil(t, f)
	require.Contains(t, f.Text, "a word was kept from an earlier execution")
}

// A goroutine that the model does not know cannot take a thread's turn unseen.
func TestPlainGoStatement(t *testing.T) {
	f := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(1), 0, func(e *engine) {
		var w modelcheck.Uint32
		e.Thread(func() {
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				w.Store(1)
			}()
			<-gone
			w.Load()
		})
	}).Failure
	require.NotNil(t, f)
	require.Equal(t, modelcheck.KindUnseen, f.Kind)
	require.Contains(t, f.Text,
		"a goroutine that is no thread of the model makes a step, while it is the turn of thread A")
	require.Contains(t, f.Text, "engine_test.go")
}

// Whose steps are made is checked at any depth of the stack, also where it is too deep for its
// beginning to be seen.
func TestPlainGoStatementDeep(t *testing.T) {
	var deep func(frames int, do func()) int
	deep = func(frames int, do func()) int {
		if frames == 0 {
			do()
			return 0
		}
		return 1 + deep(frames-1, do)
	}
	for _, frames := range []int{0, 30, 300} {
		f := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(1), 1, func(e *engine) {
			var w modelcheck.Uint32
			e.Thread(func() { deep(frames, func() { w.Add(1) }) })
			e.Thread(func() { deep(frames, func() { w.Add(1) }) })
		}).Failure
		require.Nil(t, f, frames)
		f = explore(modelcheck.Config{}, modelcheck.NewDepthFirst(1), 1, func(e *engine) {
			var w modelcheck.Uint32
			e.Thread(func() {
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					deep(frames, func() { w.Store(1) })
				}()
				<-gone
				w.Load()
			})
		}).Failure
		require.NotNil(t, f, frames)
		require.Equal(t, modelcheck.KindUnseen, f.Kind, frames)
	}
}

// What is set up is where the threads begin, in one order; who waits there is a thread like others.
func TestSetUp(t *testing.T) {
	for name, x := range explorers {
		var orders [4]int // by what the thread made of the word
		res := explore(modelcheck.Config{}, x(), 0, func(e *engine) {
			var bell, word modelcheck.Uint32
			var made uint32
			e.SetUp(func() {
				modelcheck.Go(func() { word.Add(1) })
				modelcheck.Go(func() {
					for bell.Load() == 0 {
						modelcheck.FutexWait(&bell, 0, -1)
					}
					word.Add(1)
					modelcheck.FutexWait(&bell, 1, -1) // it need not end
				})
			})
			require.Equal(t, uint32(1), word.Load(), name)
			e.Thread(func() {
				bell.Store(1)
				modelcheck.FutexWake(&bell, 1)
				made = word.Add(1)
			})
			if e.Run() {
				orders[made]++
				require.Equal(t, uint32(3), word.Load(), name)
			}
		})
		require.Nil(t, res.Failure, name)
		require.Positive(t, orders[2], name)
		require.Positive(t, orders[3], name)
	}
}

// A failure in a set-up, and after one, is found, and its schedule has the steps after it only.
func TestSetUpFails(t *testing.T) {
	f := fails(t, modelcheck.Config{}, modelcheck.KindDeadlock, func(e *engine) {
		var bell modelcheck.Uint32
		e.SetUp(func() { modelcheck.FutexWait(&bell, 0, -1) })
		e.Thread(func() { bell.Load() })
	})
	require.Contains(t, f.Text, "the set-up does not come to its end")
	f = fails(t, modelcheck.Config{}, modelcheck.KindPanic, func(e *engine) {
		var bell modelcheck.Uint32
		e.SetUp(func() {
			bell.Load()
			panic("boom")
		})
		e.Thread(func() { bell.Load() })
	})
	require.Contains(t, f.Text, "boom")
	f = fails(t, modelcheck.Config{}, modelcheck.KindDeadlock, func(e *engine) {
		var bell, back modelcheck.Uint32
		e.SetUp(func() {
			modelcheck.Go(func() {
				modelcheck.FutexWait(&bell, 0, -1)
				modelcheck.FutexWake(&back, 1)
			})
			bell.Add(0)
		})
		e.Thread(func() {
			bell.Store(1)
			modelcheck.FutexWait(&back, 0, -1)
		})
	})
	require.Equal(t, "C2", f.Schedule)
}

// Each look at the clock is a Tick later than the one before, and so is a limit counted from it.
func TestTick(t *testing.T) {
	for tick, want := range map[int64]int64{0: 1, 1: 1, 1000: 1000} {
		cfg := modelcheck.Config{Timers: modelcheck.TimersOnTime, Tick: tick}
		passes(t, cfg, func(e *engine) {
			var w modelcheck.Uint32
			e.Thread(func() {
				first, second := modelcheck.Now(), modelcheck.Now()
				if second-first != want {
					e.Fail(modelcheck.KindAssertion, "the next look")
				}
				expired := !modelcheck.FutexWait(&w, 0, 10*want)
				if !expired || modelcheck.Now() != second+11*want {
					e.Fail(modelcheck.KindAssertion, "after a limit")
				}
			})
		})
	}
}
