package loopcost

// How a caller that runs a loop alone looks at the clock, in nanoseconds.
const (
	evidence   = 1_000  // the least time from which a cost is estimated
	shortPiece = 5_000  // the caller reads the clock at most this often
	longPiece  = 20_000 // and at least this often, if it can
)

// Pieces says in which pieces a caller runs a loop alone, between two of which it looks at the
// clock. It knows the cost of a unit, or guesses it from the last piece, which tells more about
// what is to come than those before it.
type Pieces struct {
	begin, last int64
	per         float64 // what a unit costs, or 0
	step        uint64
}

// Begin returns the pieces of so many units that begin now. A unit costs per, or 0 if that is not
// known.
func Begin(now int64, units uint64, per float64) Pieces {
	return Pieces{begin: now, last: now, per: per, step: units/1024 + 1}
}

// Next returns how many of the units that are left are the next piece.
func (p *Pieces) Next(left uint64) uint64 {
	if p.per > 0 {
		p.step = uint64(max(min(max(float64(left)/8, shortPiece/p.per), longPiece/p.per), 1))
	}
	return min(p.step, left)
}

// Ran says that so many units were run until now, and returns what each of them took. It reports
// false if the clock is too coarse to say.
func (p *Pieces) Ran(units uint64, now int64) (seen float64, ok bool) {
	took := now - p.last
	p.last, p.step = now, units
	if took <= 0 {
		p.step *= 4
		return 0, false
	}
	seen = float64(took) / float64(units)
	if p.per = seen; took < evidence/2 {
		p.step, p.per = units*4, 0
	}
	return seen, true
}

// Tell reports whether the pieces have taken long enough to tell what the rest will take.
func (p *Pieces) Tell() bool { return p.last-p.begin >= evidence }
