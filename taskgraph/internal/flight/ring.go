package flight

import "github.com/heddle-go/heddle/internal/atomics"

// blockSlots and minBlocks are in size.go.

// A slot is the unit of a ring: a record takes one or two.
type slot struct{ a, b uint64 }

// A block is a part of a ring that is overwritten as a whole.
type block struct {
	// state says what is in the block: a turn, from 1 on, and how many readers are there.
	//
	//	 63      16 15      0
	//	[ turn     | readers ]
	state atomics.Uint64

	// end says how much of that there is: the turn again, and how many slots are written.
	//
	//	 63      16 15      0
	//	[ turn     | slots   ]
	end atomics.Uint64

	before uint64 // slots of all turns before this one; written at its beginning
	_      uint64
	slots  [blockSlots]slot
}

const (
	oneTurn   = 1 << 16
	countMask = oneTurn - 1
)

// A ring holds the last records of one writer. It overwrites the oldest, block by block.
//
// # Concurrency
//
// One goroutine at a time may write; another may go on if the last call of the one before happens
// before its first. Any goroutine may read at any time, up to 65,535 of them. A write of a record
// synchronizes before the return of a read that delivers it.
//
// # Progress
//
// Everything is wait-free.
//
// # Cost
//
// A record is a few plain stores and one atomic one.
type ring struct {
	//	I1 a turn is in one block, and the writer begins turns in their order.
	//	I2 slots are written by the writer alone, those of its block from its end on; and it
	//	   begins a turn in a block only where no reader is.
	//	I3 a reader reads slots of a turn only while it is counted beside that turn, and only
	//	   those before the end.
	blocks []block

	// The writer's own.
	at      *block // the block that is written, or one that is full
	end     uint64 // as in at, or left
	before  uint64 // slots of turns that have been left, and those that were dropped
	dropped uint64 // slots for which there was no block
	next    int    // the block to take next
}

// left is the number of slots at the end of a block that the writer has left.
const left = countMask

func newRing(slots int) ring {
	return ring{
		blocks: make([]block, max(minBlocks, (slots+blockSlots-1)/blockSlots)),
		at:     new(block),
		end:    left,
	}
}

// room makes room for n slots in the block that is written, and reports whether there is any.
func (r *ring) room(n uint64) bool { return r.end&countMask <= blockSlots-n || r.advance(n) }

// put writes a record of one slot, for which there is room.
func (r *ring) put(a, b uint64) {
	w := r.at
	w.slots[r.end&countMask] = slot{a, b} // W1
	r.end++
	atomics.Publish(&w.end, r.end) // W2
}

// put2 writes a record of two slots, for which there is room.
func (r *ring) put2(a, b, c, d uint64) {
	w, i := r.at, r.end&countMask
	w.slots[i], w.slots[i+1] = slot{a, b}, slot{c, d} // W1
	r.end += 2
	atomics.Publish(&w.end, r.end) // W2
}

// advance takes the next block in which no reader is, the oldest if it can. If there is none, the
// n slots of a record are dropped.
func (r *ring) advance(n uint64) bool {
	turn := r.end/oneTurn + 1
	for range r.blocks {
		w := &r.blocks[r.next]
		if r.next++; r.next == len(r.blocks) {
			r.next = 0
		}
		if w == r.at {
			continue
		}
		s := w.state.Load()
		if s&countMask == 0 && w.state.CompareAndSwap(s, turn*oneTurn) { // W3
			r.leave()
			r.at, r.end = w, turn*oneTurn
			w.before = r.before
			return true
		}
	}
	r.leave()
	r.before += n
	r.dropped += n
	return false
}

// leave says that no more is written in the block, and counts what was.
func (r *ring) leave() {
	if r.end&countMask != left {
		r.before += r.end & countMask
		r.end |= left
	}
}

// maxReads is how often a reader begins anew because the writer has gone round meanwhile.
const maxReads = 4

// A part is what was read of one block.
type part struct {
	turn   uint64
	before uint64
	slots  []slot
}

// read returns what the ring holds, oldest first, without a gap: the newest record that it returns
// was the last one at some moment of the call, or was written later.
func (r *ring) read() []part {
	var parts []part
	for range maxReads {
		// Newest first: then whatever is read next is of a turn that has ended.
		newest := uint64(0)
		for i := range r.blocks {
			newest = max(newest, r.blocks[i].state.Load()/oneTurn) // R1
		}
		for turn := newest; turn > 0; turn-- {
			p, ok := r.readTurn(turn)
			if !ok {
				break
			}
			parts = append(parts, p)
		}
		if len(parts) > 0 {
			break
		}
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return parts
}

// readTurn copies what there is of a turn. It reports false if that is no longer there.
func (r *ring) readTurn(turn uint64) (part, bool) {
	for i := range r.blocks {
		w := &r.blocks[i]
		if w.state.Load()/oneTurn != turn {
			continue
		}
		p, ok := part{turn: turn}, false
		if w.state.Add(1)/oneTurn == turn { // R2
			ok = true
			if e := w.end.Load(); e/oneTurn == turn { // R3
				p.before = w.before
				p.slots = append(p.slots, w.slots[:e&countMask]...) // R4
			}
		}
		w.state.Add(^uint64(0)) // R5
		return p, ok
	}
	return part{}, false
}
