package spread

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
)

const (
	lookEvery  = 50_000        // nanoseconds between two looks, where events are frequent enough
	askEvery   = 8 * lookEvery // between two questions, at least
	mostEvents = 1 << 16       // between two looks
)

// A Place is where a goroutine runs, as it last said, and when it looks again. All but the word
// belongs to that goroutine. The zero value has never looked.
type Place struct {
	word atomics.Uint64 // thread and processor, see placeOf; 0: it has never looked

	left   int32 // events until the next look
	events int32 // between the last two
	looked int64 // when it last did
	asked  int64 // when it last did
}

// Threads is what the operating system knows of threads.
type Threads struct {
	Now   func() int64 // nanoseconds
	Here  func() (processor, thread uint32)
	Waits func(thread, processor uint32) bool // or runs, there
	Move  func()                              // the calling thread to another processor
}

// Own returns the threads of the process, or nil where none can be moved.
func Own() *Threads {
	if !park.CanMove() {
		return nil
	}
	return &Threads{Now: atomics.Now, Here: park.Here, Waits: park.IsRunnableOn,
		Move: park.GoElsewhere}
}

func placeOf(processor, thread uint32) uint64 { return uint64(thread)<<32 | uint64(processor) + 1 }

// IsDue counts an event, such as a stolen task or a range of a loop, and reports whether it is time
// for a Look, which makes two short system calls.
func (p *Place) IsDue() bool {
	p.left--
	return p.left < 0
}

// A Look is that of the goroutine of a Place, which is at word, for others at its processor and
// elsewhere.
type Look struct {
	p               *Place
	t               *Threads
	word            uint64
	processor       uint32
	here, elsewhere int
	other           uint32 // a thread of those who are here
}

// Begin begins a look by the caller. It then calls See with each other Place whose goroutine
// computes, and then End.
func (p *Place) Begin(t *Threads) Look {
	p.pace(t.Now())
	processor, thread := t.Here()
	word := placeOf(processor, thread)
	if word != p.word.Load() {
		p.word.Store(word) // SP1
	}
	return Look{p: p, t: t, word: word, processor: processor, here: 1}
}

// See reads what the goroutine of v, not that of the look, has said: SP2.
func (l *Look) See(v *Place) {
	at := v.word.Load()
	switch {
	case at == 0:
	case at>>32 == l.word>>32: // who was there runs on another thread by now: p has this one
	case uint32(at) == uint32(l.word):
		l.here++
		l.other = uint32(at >> 32)
	default:
		l.elsewhere++
	}
}

// End moves the caller's thread if at least two more are at its processor than elsewhere, one of
// which waits for it.
func (l *Look) End() {
	p, t := l.p, l.t
	if l.here < l.elsewhere+2 || p.looked-p.asked < askEvery {
		return
	}
	p.asked = p.looked
	if !t.Waits(l.other, l.processor) { // SP3
		return
	}
	t.Move() // SP4
	p.word.Store(placeOf(t.Here()))
}

// pace says after how many events the next look comes: as many as would have come in lookEvery.
func (p *Place) pace(now int64) {
	switch took := now - p.looked; {
	case took < lookEvery/2:
		p.events = min(2*p.events+1, mostEvents)
	case took > 2*lookEvery:
		p.events /= 2
	}
	p.left, p.looked = p.events, now
}
