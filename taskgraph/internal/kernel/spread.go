package kernel

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
)

// Two holders of slots whose threads share a processor, while another one idles, each compute at
// half the speed, and the operating system may take milliseconds to see it. So a holder now and
// then says where it runs, and moves if it finds that another one waits for its processor. Nothing
// relies on that. The page spread.md has the steps SP1 to SP4.

const (
	lookEvery  = 50_000        // nanoseconds between two looks, where events are frequent enough
	askEvery   = 8 * lookEvery // between two questions, at least
	mostEvents = 1 << 16       // between two looks
)

// A place is where the holder of a slot runs, as it last said, and when it looks again. All but the
// word belongs to the holder.
type place struct {
	word atomics.Uint64 // thread and processor, see placeOf; 0: it has never looked

	left   uint32 // events until the next look
	events uint32 // between the last two
	looked int64  // when it last did
	asked  int64  // when it last did
}

// A ground is what the operating system knows of threads.
type ground struct {
	now   func() int64 // nanoseconds
	here  func() (processor, thread uint32)
	waits func(thread, processor uint32) bool // or runs, there
	move  func()                              // the calling thread to another processor
}

// threads is the ground of the kernel's own threads, or nil where none can be moved.
func threads() *ground {
	if !park.CanMove() {
		return nil
	}
	return &ground{now: atomics.Now, here: park.Here, waits: park.IsRunnableOn,
		move: park.GoElsewhere}
}

func placeOf(processor, thread uint32) uint64 { return uint64(thread)<<32 | uint64(processor) + 1 }

// Spread counts an event of the holder of s, such as a stolen task or a range of a loop. With some
// of them it looks whether another holder waits for the processor of the caller, and if so moves
// the caller's thread.
func (k *Kernel) Spread(s *Slot) {
	if k.ground == nil {
		return
	}
	if s.place.left > 0 {
		s.place.left--
		return
	}
	k.spread(s, k.ground)
}

// spread is a look.
func (k *Kernel) spread(s *Slot, g *ground) {
	p := &s.place
	now := g.now()
	p.pace(now)
	processor, thread := g.here()
	word := placeOf(processor, thread)
	if word != p.word.Load() {
		p.word.Store(word) // SP1
	}
	other, shares := k.crowded(s, word)
	if !shares || now-p.asked < askEvery {
		return
	}
	p.asked = now
	if !g.waits(other, processor) { // SP3
		return
	}
	g.move() // SP4
	p.word.Store(placeOf(g.here()))
}

// pace says after how many events the next look comes: as many as would have come in lookEvery.
func (p *place) pace(now int64) {
	switch took := now - p.looked; {
	case took < lookEvery/2:
		p.events = min(2*p.events+1, mostEvents)
	case took > 2*lookEvery:
		p.events /= 2
	}
	p.left, p.looked = p.events, now
}

// crowded is SP2 for the holder of s, which is at word: it reports whether at least two more
// holders are on its processor than elsewhere, and returns the thread of one of them.
func (k *Kernel) crowded(s *Slot, word uint64) (other uint32, yes bool) {
	here, elsewhere := 1, 0
	for _, v := range *k.slots.Load() {
		at := v.place.word.Load()
		switch {
		case v == s || at == 0 || v.idle.Load():
		case at>>32 == word>>32: // its holder runs on another thread by now: s has this one
		case uint32(at) == uint32(word):
			here++
			other = uint32(at >> 32)
		default:
			elsewhere++
		}
	}
	return other, here >= elsewhere+2
}
