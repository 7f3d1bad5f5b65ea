package hang

import (
	"runtime"
	"testing"
	"time"
)

// patience is how long a test waits before it calls a hang a hang.
const patience = 2 * time.Minute

// Watch fails the program, with all stacks, if the test takes longer than patience.
func Watch(t testing.TB) {
	t.Helper()
	name := t.Name()
	dog := time.AfterFunc(patience, func() { panic(name + " hangs") })
	t.Cleanup(func() { dog.Stop() })
}

// Await spins until cond holds.
func Await(cond func() bool) {
	for !cond() {
		runtime.Gosched()
	}
}
