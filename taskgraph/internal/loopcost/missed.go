package loopcost

import "github.com/heddle-go/heddle/internal/atomics"

// A Missed counts, for one caller of loops, the time of loops that ran alone because all helpers
// slept. None of these is worth a wake by itself, but a series of them may be: when they add up to
// a loop that would be worth it, the next one is shared, and the helper that wakes is awake for
// those that follow. So the waste of a wake that comes too late is about as large as the loss
// before it.
//
// Karlin, Manasse, Rudolph and Sleator, "Competitive Snoopy Caching", Algorithmica, 1988.
//
// Callers from outside share one.
type Missed struct {
	time atomics.Int64 // of such loops, in nanoseconds
	end  atomics.Int64 // of the last
}

// A caller that spends less than 1/share of its time in such loops gets no helper: it forgets
// faster than it gathers.
const share = 4

// Alone says when a loop began and ended.
func (m *Missed) Alone(begin, end int64) {
	gap := max(0, begin-m.end.Load())
	m.time.Store(max(0, m.time.Load()-gap/share) + end - begin)
	m.end.Store(end)
}

// IsDue reports, once, that enough has gathered for the next loop to be worth a helper.
func (m *Missed) IsDue(worth int64) bool {
	if m.time.Load() < worth {
		return false
	}
	m.time.Store(0)
	return true
}
