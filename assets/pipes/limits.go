package pipes

import (
	"cmp"
	"fmt"
)

// Limits say how large things may be. What is larger is refused with ErrLimit, before memory is
// taken for it. Zero fields have their defaults.
type Limits struct {
	Bytes   int64 // of a file, as fetched and as unpacked; default 256 MiB
	Archive int64 // of a compressed tar archive, unpacked, which is kept in memory; default 1 GiB
	Entries int   // of an archive; default 1 Mi
	Pixels  int64 // of a picture; default 64 Mi
	Samples int64 // of a sound, of all its channels together; default 64 Mi
	Text    int64 // bytes of a manifest, or of the text of a model; default 16 MiB
	Depth   int   // of lists and tables in each other, in a manifest; default 500
	Parts   int   // of a model: nodes, accessors and all else that has braces; default 1 Mi
}

// OrDefault returns the limits with their defaults. It panics at negative ones.
func (l Limits) OrDefault() Limits {
	if min(l.Bytes, l.Archive, int64(l.Entries), l.Pixels, l.Samples, l.Text, int64(l.Depth),
		int64(l.Parts)) < 0 {
		panic(fmt.Sprintf("pipes: a negative limit: %+v", l))
	}
	return Limits{
		Bytes:   cmp.Or(l.Bytes, 256<<20),
		Archive: cmp.Or(l.Archive, 1<<30),
		Entries: cmp.Or(l.Entries, 1<<20),
		Pixels:  cmp.Or(l.Pixels, 64<<20),
		Samples: cmp.Or(l.Samples, 64<<20),
		Text:    cmp.Or(l.Text, 16<<20),
		Depth:   cmp.Or(l.Depth, 500),
		Parts:   cmp.Or(l.Parts, 1<<20),
	}
}
