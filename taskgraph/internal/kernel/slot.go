package kernel

import (
	"strconv"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/spread"
)

// A Slot is a right to run and what comes with it. It belongs to one runner at a time, which alone
// uses the fields between the deques and the inbox; they pass on with the slot.
type Slot struct {
	// The slot's own work, newest first for the holder, oldest first for thieves: Normal
	// and BackgroundNormal. Only slots that may run background work use the second.
	deques [2]lockfree.Deque[entry.Entry]

	_ cacheline.Pad

	// Cache holds free nodes, and Owner whatever the layer above keeps for each slot.
	Cache graphevent.Cache
	Owner any

	index      int
	background bool
	spare      bool
	lent       bool   // to callers, see Runner.Join
	mask       uint32 // the hints that concern this slot
	answered   uint32 // the number of the last probe answered, as in the word of hints
	urgent     uint32 // of mask, the hints that go before the slot's own tasks

	group  *sleepevent.Group // nil: a spare slot never sleeps
	worker int               // the slot's number in its group
	rescan func() bool
	dozing func() bool // rescan for Doze

	tick uint32 // tasks taken
	seed uint32 // for the random choice of victims

	victim  *Slot  // from whom was stolen last, until Victim
	stoleAt int64  // when the last stolen task was taken
	seenAll uint32 // the number of the last probe at which forks looked at the deques
	pauses  uint32 // how long to keep off stealing after a tiny one

	Gathering cacheline.Courtesy // before the holder closes a parcel

	_ cacheline.Pad

	inbox  lockfree.IndexQueue[entry.Entry] // work that should run here, see PushNear
	mail   atomics.Bool                     // look there
	hidden atomics.Uint32                   // odd: no thief looks at deques[0], see Hide
	rest   *park.Parker                     // of a worker above the quota
	call   atomics.Pointer[Call]

	beat       atomics.Uint32 // = answered, for the watch
	forked     atomics.Uint32 // the number of the last probe that forks answered, see ForksGoOn
	enough     atomics.Int32  // see Enough; math.MaxInt32: the watch asks
	seenHidden uint32         // hidden when the watch last looked; its own
	idle       atomics.Bool   // holds no work and does not search
	steals     atomics.Uint64

	_     cacheline.Pad
	place spread.Place // at the end: the fields before it have the lines they were measured with
}

// WokenAgo is that of the slot's worker in its group; 0 if it is no worker's.
func (s *Slot) WokenAgo() time.Duration {
	if s.group == nil {
		return 0
	}
	return s.group.WokenAgo(s.worker)
}

// String names the slot.
func (s *Slot) String() string { return "worker " + strconv.Itoa(s.index) }

// Index returns the number of the slot: below the number of workers, or above for a spare.
func (s *Slot) Index() int { return s.index }

// Victim returns the slot from which the holder has stolen since the last call, or nil.
func (s *Slot) Victim() *Slot {
	v := s.victim
	if v != nil {
		s.victim = nil
	}
	return v
}

// IsLent reports whether the slot is for callers.
func (s *Slot) IsLent() bool { return s.lent }

// deque returns the slot's deque for l, or nil if work of that level is shared.
func (s *Slot) deque(l Level) *lockfree.Deque[entry.Entry] {
	switch {
	case l == Normal:
		return &s.deques[0]
	case l == BackgroundNormal && s.background:
		return &s.deques[1]
	}
	return nil
}

func (s *Slot) random() uint32 {
	x := s.seed
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 5
	s.seed = x
	return x
}

// HasOther reports whether there is anything for the holder of s besides what is in deques.
func (k *Kernel) HasOther(s *Slot) bool {
	h := (k.hints.Load() ^ s.answered) & s.mask
	return h != 0 && (k.asked(s) || k.hints.Load()&s.mask&^(hintProbe|hintCall) != 0)
}

// OthersWork reports whether anybody but the holder of s has a slot and is not idle.
func (k *Kernel) OthersWork(s *Slot) bool {
	for _, v := range *k.slots.Load() {
		if v != s && !v.idle.Load() {
			return true
		}
	}
	return false
}

// HasOwn reports whether anything is in the deques of s, for its holder.
func (k *Kernel) HasOwn(s *Slot) bool { return !s.deques[0].Empty() || !s.deques[1].Empty() }

// Spread counts an event of the holder of s, such as a stolen task or a range of a loop. With some
// of them it looks whether another holder waits for the processor of the caller, and if so moves
// the caller's thread.
func (k *Kernel) Spread(s *Slot) {
	if k.threads != nil && s.place.IsDue() {
		k.spread(s)
	}
}

func (k *Kernel) spread(s *Slot) {
	look := s.place.Begin(k.threads)
	for _, v := range *k.slots.Load() {
		if v != s && !v.idle.Load() {
			look.See(&v.place)
		}
	}
	look.End()
}
