package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/heddle-go/heddle/assets"
)

// A record is what the file holds of one resource, under its GUID: a byte with the version of the
// form, the fields of Info in the order of appendRecord, and a check sum (CRC-32C) of all that.
// Numbers are varints; a text has its length before it.
const recordVersion = 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The flags of a record.
const (
	flagSub  = 1 << iota // Info.Sub
	flagNoID             // the ID leads to another resource, or nowhere
)

// appendRecord writes the record of a resource behind b. noID says that its ID leads elsewhere.
func appendRecord(b []byte, info *assets.Info, noID bool) []byte {
	start := len(b)
	b = append(b, recordVersion)
	b = appendText(b, string(info.ID))
	b = appendText(b, info.Type)
	b = append(b, info.Parent[:]...)
	flags := byte(0)
	if info.Sub {
		flags |= flagSub
	}
	if noID {
		flags |= flagNoID
	}
	b = append(b, flags)
	b = appendSource(b, info.Path, info.Format, info.Hash, info.Size)
	b = binary.AppendUvarint(b, uint64(len(info.Variants)))
	for i := range info.Variants {
		v := &info.Variants[i]
		b = appendText(b, string(v.Platform))
		b = appendText(b, v.API)
		b = appendSource(b, v.Path, v.Format, v.Hash, v.Size)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// appendSource writes what a resource and its variants have alike.
func appendSource(b []byte, path, format string, hash assets.Hash, size int64) []byte {
	b = appendText(b, path)
	b = appendText(b, format)
	b = append(b, hash[:]...)
	return binary.AppendVarint(b, size)
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// readRecord returns the resource of a record, and copies what it keeps. The error wraps
// ErrDamaged.
func readRecord(g assets.GUID, b []byte) (info assets.Info, noID bool, err error) {
	if !intact(b) {
		return info, false, fmt.Errorf("%w: record of %v", ErrDamaged, g)
	}
	info.GUID = g
	c := cursor{b: b[1 : len(b)-4]}
	info.ID = assets.ID(c.text())
	info.Type = c.text()
	copy(info.Parent[:], c.take(len(info.Parent)))
	if flags := c.take(1); flags != nil {
		info.Sub, noID = flags[0]&flagSub != 0, flags[0]&flagNoID != 0
	}
	c.source(&info.Path, &info.Format, &info.Hash, &info.Size)
	// A variant takes more than 36 bytes, so this is no more than the record is long.
	if n := c.number(uint64(len(c.b) / 36)); n > 0 {
		info.Variants = make([]assets.Variant, n)
	}
	for i := range info.Variants {
		v := &info.Variants[i]
		v.Platform = assets.Platform(c.text())
		v.API = c.text()
		c.source(&v.Path, &v.Format, &v.Hash, &v.Size)
	}
	if c.bad || len(c.b) != 0 {
		return info, false, fmt.Errorf("%w: record of %v: its parts do not fit", ErrDamaged, g)
	}
	return info, noID, nil
}

// intact reports whether the check sum of a record is right.
func intact(b []byte) bool {
	n := len(b) - 4
	return n >= 1 && b[0] == recordVersion &&
		crc32.Checksum(b[:n], castagnoli) == binary.LittleEndian.Uint32(b[n:])
}

// A cursor reads from a record. After a part that is not there it is bad and returns zeros.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) take(n int) []byte {
	if c.bad || n > len(c.b) {
		c.bad = true
		return nil
	}
	part := c.b[:n]
	c.b = c.b[n:]
	return part
}

func (c *cursor) number(most uint64) int {
	n, used := binary.Uvarint(c.b)
	if used <= 0 || n > most {
		c.bad = true
		return 0
	}
	c.take(used)
	return int(n)
}

func (c *cursor) text() string { return string(c.take(c.number(uint64(len(c.b))))) }

func (c *cursor) source(path, format *string, hash *assets.Hash, size *int64) {
	*path, *format = c.text(), c.text()
	copy(hash[:], c.take(len(hash)))
	n, used := binary.Varint(c.b)
	if used <= 0 {
		c.bad = true
		return
	}
	c.take(used)
	*size = n
}
