package assets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// An ID is the name by which a program asks for a resource, such as "models/house.glb" or, for a
// part of one, "models/house.glb#mesh/0". IDs are compared byte by byte.
type ID string

// A GUID names a resource for good: its ID and its path may change, the GUID does not. The zero
// GUID names nothing.
type GUID [16]byte

// A Hash is the SHA-256 of some content. The zero Hash means that it is not known.
type Hash [sha256.Size]byte

// ErrGUID is wrapped by the error of ParseGUID.
var ErrGUID = errors.New("assets: no GUID")

// MakeGUID returns the GUID that an ID has if nobody gave it another one: the same in each run and
// on each machine, a UUID of version 8 whose bits are from the SHA-256 of the ID.
func MakeGUID(id ID) GUID {
	sum := sha256.Sum256([]byte(id))
	g := GUID(sum[:16])
	g[6] = g[6]&0x0f | 0x80
	g[8] = g[8]&0x3f | 0x80
	return g
}

// ParseGUID reads what GUID.String writes. The error wraps ErrGUID.
func ParseGUID(text string) (GUID, error) {
	var g GUID
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return GUID{}, fmt.Errorf("%w: %.40q", ErrGUID, text)
	}
	plain := text[:8] + text[9:13] + text[14:18] + text[19:23] + text[24:]
	if _, err := hex.Decode(g[:], []byte(plain)); err != nil {
		return GUID{}, fmt.Errorf("%w: %.40q", ErrGUID, text)
	}
	return g, nil
}

// String returns the GUID as a UUID is written.
func (g GUID) String() string {
	h := hex.EncodeToString(g[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// HashOf returns the Hash of data.
func HashOf(data []byte) Hash { return sha256.Sum256(data) }

// String returns the Hash in hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }
