package flight

import "time"

// A Ring is a ring for tests. Its slots are numbered from 1 on, those that it drops included.
type Ring struct {
	ring
	last uint64
}

// BlockSlots is how many slots a block has.
const BlockSlots = blockSlots

// MaxMarks is how many labels of users a log has.
const MaxMarks = maxMarks

// NoCode is the name of a function at an address where there is none.
const NoCode = codeName | 1

// NewWithoutCounter returns a log as it is where the processor's counter is not steady.
func NewWithoutCounter() *Log {
	g := New(1024, true)
	g.clock.counter, g.clock.began = false, time.Now()
	g.clock.ticks, g.clock.now = g.clock.both()
	return g
}

// NewRing returns a ring with so many blocks.
func NewRing(blocks int) *Ring { return &Ring{ring: newRing(blocks * blockSlots)} }

// Put writes a record of one or two slots, and returns the number of the last one.
func (r *Ring) Put(slots int) uint64 {
	first := r.last + 1
	r.last += uint64(slots)
	switch {
	case !r.room(uint64(slots)):
	case slots == 1:
		r.put(first, ^first)
	default:
		r.put2(first, ^first, first+1, ^(first + 1))
	}
	return r.last
}

// Dropped returns how many slots were dropped.
func (r *Ring) Dropped() uint64 { return r.dropped }

// Readers returns how many readers are counted.
func (r *Ring) Readers() (n uint64) {
	for i := range r.blocks {
		n += r.blocks[i].state.Load() & countMask
	}
	return n
}

// Read returns the numbers of the slots that are read, and reports what is wrong with them, or "".
func (r *Ring) Read() (numbers []uint64, wrong string) {
	turn := uint64(0)
	for _, p := range r.read() {
		if turn != 0 && p.turn != turn+1 {
			return nil, "a turn is missing"
		}
		turn = p.turn
		if n := len(numbers); n > 0 && len(p.slots) > 0 && p.before < numbers[n-1] {
			return nil, "a turn begins with what was there before"
		}
		for i, s := range p.slots {
			if s.a != p.before+uint64(i)+1 || s.b != ^s.a {
				return nil, "a slot has what does not belong there"
			}
			numbers = append(numbers, s.a)
		}
	}
	return numbers, ""
}
