//go:build modelcheck

package park

import (
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A Mutex is a sync.Mutex outside a model. For threads of a model it is a word: 0 free, 1 held,
// 2 held and perhaps waited for.
type Mutex struct {
	outside sync.Mutex
	word    atomics.Uint32
}

// Lock locks m.
func (m *Mutex) Lock() {
	if !atomics.Modeled() {
		m.outside.Lock()
		return
	}
	if m.word.CompareAndSwap(0, 1) {
		return
	}
	for m.word.Swap(2) != 0 {
		atomics.FutexWait(&m.word, 2, -1)
	}
}

// Unlock unlocks m.
func (m *Mutex) Unlock() {
	if !atomics.Modeled() {
		m.outside.Unlock()
		return
	}
	if m.word.Swap(0) == 2 {
		atomics.FutexWake(&m.word)
	}
}

// A cond is a sync.Cond outside a model. For threads of a model it is the number of signals so far:
// as with sync.Cond, a waiter is registered before L is unlocked, and a Signal without a waiter has
// no effect. One thread at a time may wait.
type cond struct {
	L       *Mutex
	outside sync.Cond
	signals atomics.Uint32
}

// Wait unlocks L, waits for a Signal, and locks L.
func (c *cond) Wait() {
	if !atomics.Modeled() {
		c.outside.L = c.L
		c.outside.Wait()
		return
	}
	before := c.signals.Load()
	c.L.Unlock()
	atomics.FutexWait(&c.signals, before, -1)
	c.L.Lock()
}

// Signal ends the Wait that is under way, if there is one.
func (c *cond) Signal() {
	if !atomics.Modeled() {
		c.outside.Signal()
		return
	}
	c.signals.Add(1)
	atomics.FutexWake(&c.signals)
}

// A timer is a time.Timer outside a model. In a model it is a thread that waits for the time limit,
// so that Config.Timers says when that comes; its call may be late.
type timer struct {
	outside *time.Timer
	word    atomics.Uint32 // 0 runs, 1 is over
}

// afterFunc calls f when d has passed.
func afterFunc(d time.Duration, f func()) *timer {
	if !atomics.Modeled() {
		return &timer{outside: time.AfterFunc(d, f)}
	}
	t := new(timer)
	atomics.Go(func() {
		atomics.FutexWait(&t.word, 0, int64(max(d, 0)))
		if t.word.Swap(1) == 0 {
			f()
		}
	})
	return t
}

// Stop keeps the call of f from beginning, and reports whether it did.
func (t *timer) Stop() bool {
	if t.outside != nil {
		return t.outside.Stop()
	}
	if t.word.Swap(1) != 0 {
		return false
	}
	atomics.FutexWake(&t.word)
	return true
}
