package bundles

// Hooks of the tests: a Put in two steps, and a turn to begin at.

// Claim is the first step of a Put.
func (p *Parcel[Of, T]) Claim(of *Of) (place uint64, ok bool) { return p.claim(of) }

// Fill is the second step.
func (p *Parcel[Of, T]) Fill(place uint64, v T, tag uint64) PutResult {
	return p.fill(place, v, tag)
}

// After lets the next turn of an unused parcel be the one after turn.
func (p *Parcel[Of, T]) After(turn uint64) { p.word.Store(turn*parcelTurn | parcelClosed) }
