package bundles

import (
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// Hooks of the tests: a parcel without a pool, a Put in two steps, and a turn to begin at.

// Tag gives an unused parcel room for tags, as Pool.Tag does.
func (p *Parcel[Of, T]) Tag() { p.tags = new([ParcelSize]uint64) }

// Forget drops the owner of an idle parcel, as Pool.FreeParcel does.
func (p *Parcel[Of, T]) Forget() { p.of.Store(nil) }

// LeaveParcels lets IdleParcel find that only n parcels are left that have not been made.
func (p *Pool[Of, T]) LeaveParcels(n uint32) {
	p.freshParcel.Store(min(entry.Limit, paged.Most()) - n)
}

// LeaveBundles lets a slot find that only n times as many bundles as are made together are left for
// new calls, or for those that were accepted before.
func (p *Pool[Of, T]) LeaveBundles(n uint32, accepted bool) {
	most := uint32(forNew)
	if accepted {
		most = forAll
	}
	p.fresh.Store(most/(paged.Limit/paged.Most()) - n*bundleChain)
}

// BundlesMade returns how many bundles count as made.
func (p *Pool[Of, T]) BundlesMade() uint32 { return p.fresh.Load() }

// ParcelsMade returns how many parcels count as made.
func (p *Pool[Of, T]) ParcelsMade() uint32 { return p.freshParcel.Load() }

// Claim is the first step of a Put.
func (p *Parcel[Of, T]) Claim(of *Of) (place uint64, ok bool) { return p.claim(of) }

// Fill is the second step.
func (p *Parcel[Of, T]) Fill(place uint64, v T, tag uint64) PutResult {
	return p.fill(place, v, tag)
}

// After lets the next turn of an unused parcel be the one after turn.
func (p *Parcel[Of, T]) After(turn uint64) { p.word.Store(turn*parcelTurn | parcelClosed) }
