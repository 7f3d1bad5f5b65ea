package beat

import "github.com/heddle-go/heddle/internal/atomics"

// A Lead knows how late sleeps end. It learns this so that few end later: fast upwards and slowly
// downwards. The zero Lead guesses. Any goroutine may call its methods, each of which is a load or
// a store; of two that learn at a time one may be lost.
type Lead struct {
	late atomics.Int64 // ns; 0: not known yet
}

const (
	firstLead = 100_000 // ns: the first guess
	leastLead = 20_000
	mostLead  = 500_000

	// A sleep ends early by at most 1/leadPart of its length: more would cost more than it is
	// worth.
	leadPart = 6
)

// For returns how early a sleep must end that should last for gap, both in nanoseconds.
func (l *Lead) For(gap int64) int64 { return min(l.expected(), gap/leadPart) }

func (l *Lead) expected() int64 {
	if late := l.late.Load(); late != 0 {
		return late
	}
	return firstLead
}

// Learn says by how many nanoseconds a sleep ended late.
func (l *Lead) Learn(late int64) {
	v := l.expected()
	if late > v {
		v += (late - v) / 4
	} else {
		v -= (v - late) / 32
	}
	l.late.Store(min(max(v, leastLead), mostLead))
}
