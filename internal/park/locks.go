//go:build !modelcheck

package park

import (
	"sync"
	"time"
)

// The primitives of waitCond. Under the tag modelcheck a thread of a model uses equivalents made of
// words, so that the checker orders its steps.
type (
	mutex = sync.Mutex
	cond  = sync.Cond
)

// afterFunc calls f in a goroutine of its own when d has passed.
func afterFunc(d time.Duration, f func()) *time.Timer { return time.AfterFunc(d, f) }
