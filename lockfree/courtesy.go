package lockfree

import "github.com/heddle-go/heddle/internal/atomics"

// To learn whether a ring is full or empty takes the other side's position, and with it the
// cache line that the other side is writing. A side that has caught up with the other and asks
// for each single value makes both wait for that line most of the time. So it is courteous: it
// leaves the other side a moment to get ahead, and then finds several values or places at once.

// courteous is for many callers on one side: it pauses, and returns true, if the side has moved to
// position pos since it was last here. Who calls again and again in vain does not pause. Where the
// side has moved by more than one value, more are likely to follow, so that a longer pause pays.
func courteous(seen *atomics.Uint64, pos uint64) bool {
	if courtesy == 0 {
		return false
	}
	was := seen.Load()
	if was == pos {
		return false
	}
	seen.Store(pos)
	if pos-was == 1 {
		atomics.Pause(courtesy)
	} else {
		atomics.Pause(streamCourtesy)
	}
	return true
}

// A patience is for a single caller, who pauses before each look at the other side as long as
// that pays, and rarely if it does not: because nobody is there, or both sides are the same
// goroutine.
type patience struct{ skip, rare uint32 }

const (
	paid   = 4    // so many values or places are worth the pause
	rarely = 1023 // looks without a pause between two with one, at most
)

// pause pauses, and returns true, if that may pay.
func (p *patience) pause() bool {
	if courtesy == 0 {
		return false
	}
	if p.skip > 0 {
		p.skip--
		return false
	}
	atomics.Pause(courtesy)
	return true
}

// learn says how many values or places there were after a pause.
func (p *patience) learn(n uint64) {
	if n >= paid {
		p.rare = 0
		return
	}
	p.rare = min(2*p.rare+1, rarely)
	p.skip = p.rare
}
