package taskgraph

import "github.com/heddle-go/heddle/internal/atomics"

// A missed counts, for one who runs loops, the time of those that ran alone because whoever could have helped slept. No one of
// them is worth a wake. But loops after each other, each on what the one before left, are: when so much has come together
// as would be worth it in one loop, the next one is shared, and who comes is awake for those that follow. What is wasted on a wake that
// comes too late is about what was lost before, once for that much of loops.
//
// Karlin, Manasse, Rudolph and Sleator, "Competitive Snoopy Caching", Algorithmica, 1988.
//
// It is a hint: who call from outside share one.
type missed struct {
	time atomics.Int64 // of those loops, in nanoseconds
	end  atomics.Int64 // of the last
}

// missedShare is what part of its time a caller spends in such loops at least, if it is to be helped: less forgets faster than it gathers.
const missedShare = 4

// alone says when a loop began and ended.
func (m *missed) alone(begin, end int64) {
	gap := max(0, begin-m.end.Load())
	m.time.Store(max(0, m.time.Load()-gap/missedShare) + end - begin)
	m.end.Store(end)
}

// missedHandy is how much must have gathered if somebody is there in a moment, in nanoseconds.
const missedHandy = 3 * worthHandy

// isDue reports, once, that so much has gathered that the next loop is worth a wake; of one who is handy, or of one who sleeps.
func (m *missed) isDue(handy bool) bool {
	if t := m.time.Load(); t < missedHandy || !handy && t < worthAsleep {
		return false
	}
	m.time.Store(0)
	return true
}

// missedBy returns that of the runner of the body of c or, if c is nil, that of callers from outside.
func (s *System) missedBy(c *Context) *missed {
	if c != nil {
		return &c.r.missed
	}
	return &s.missed
}
