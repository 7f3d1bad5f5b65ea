package store

import (
	"encoding/binary"
	"hash/crc32"
)

// Sweep removes all that somebody began to write and did not finish.
func (c *Cache) Sweep() error { return c.sweep(0) }

// Place returns the name of the file of a blob, below the directory of the cache.
func (c *Cache) Place(h Key) string { return place(blobs, h) }

// PlaceOfEntry returns the name of the file of an entry.
func (c *Cache) PlaceOfEntry(key Key) string { return place(built, key) }

var (
	AppendRecord = appendRecord
	ReadRecord   = readRecord
)

// Seal makes the check sum of a record right.
func Seal(b []byte) []byte {
	b[0] = recordVersion
	return binary.LittleEndian.AppendUint32(b[:len(b)-4], crc32.Checksum(b[:len(b)-4], castagnoli))
}
