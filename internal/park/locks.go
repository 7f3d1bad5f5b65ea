//go:build !modelcheck

package park

import (
	"sync"
	"time"
)

// A Mutex is a sync.Mutex. Under the tag modelcheck a thread of a model uses one made of a word, so
// that the checker orders its steps, and knows who waits.
type Mutex = sync.Mutex

// The same of what waitCond needs besides.
type cond = sync.Cond

// afterFunc calls f in a goroutine of its own when d has passed.
func afterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }
