package loopcost

import "github.com/heddle-go/heddle/internal/atomics"

// A Missed counts, for one who runs loops, the time of those that ran alone because whoever could
// have helped slept. No one of them is worth a wake. But loops after each other, each on what the one
// before left, are: when so much has come together as would be worth it in one loop, the next one is
// shared, and who comes is awake for those that follow. What is wasted on a wake that comes too late is
// about what was lost before, once for that much of loops.
//
// Karlin, Manasse, Rudolph and Sleator, "Competitive Snoopy Caching", Algorithmica, 1988.
//
// Callers from outside share one.
type Missed struct {
	time atomics.Int64 // of those loops, in nanoseconds
	end  atomics.Int64 // of the last
}

// share is what part of its time a caller spends in such loops at least, if it is to be helped: less
// forgets faster than it gathers.
const share = 4

// Alone says when a loop began and ended.
func (m *Missed) Alone(begin, end int64) {
	gap := max(0, begin-m.end.Load())
	m.time.Store(max(0, m.time.Load()-gap/share) + end - begin)
	m.end.Store(end)
}

// IsDue reports, once, that so much has gathered that the next loop is worth a helper.
func (m *Missed) IsDue(worth int64) bool {
	if m.time.Load() < worth {
		return false
	}
	m.time.Store(0)
	return true
}
