package farm

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// A Hash is a SHA-256 of content.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

func parseHash(s string) (h Hash, err error) {
	if len(s) != 2*len(h) {
		return h, fmt.Errorf("%w: a hash of %d characters", ErrInvalid, len(s))
	}
	if _, err = hex.Decode(h[:], []byte(s)); err != nil || h.String() != s {
		return h, fmt.Errorf("%w: the hash %q", ErrInvalid, s)
	}
	return h, nil
}

// A Ref names content that the farm keeps, by its hash.
type Ref struct {
	Hash Hash
	Size int64 // in bytes
}

// RefOf returns the Ref of b.
func RefOf(b []byte) Ref { return Ref{sha256.Sum256(b), int64(len(b))} }

// keyOf returns the key of a piece of work: what makes two calls the same. Everything is preceded
// by its length, so that no two pieces of work have one text.
func keyOf(id jobID, arg Ref, refs []Ref) Hash {
	b := append(make([]byte, 0, 256+40*len(refs)), "heddle-farm-1"...)
	b = appendString(appendString(b, id.name), id.version)
	b = appendRef(b, arg)
	b = binary.AppendUvarint(b, uint64(len(refs)))
	for _, r := range refs {
		b = appendRef(b, r)
	}
	return sha256.Sum256(b)
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendRef(b []byte, r Ref) []byte {
	return binary.AppendUvarint(append(b, r.Hash[:]...), uint64(r.Size))
}
