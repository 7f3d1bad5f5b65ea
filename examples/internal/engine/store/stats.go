package store

import "time"

// Stats are what an owner has done so far.
type Stats struct {
	Asked     int // requests
	Found     int // requests whose file was in the table
	Cancelled int // requests that were given back before their file was read
	Read      int // files that were read and parsed, faults included
	Faults    int // of those
	Dropped   int // values that had to go
	Bytes     int64

	Kept int64 // bytes of all values that are in the table
	Most int64 // and when there were most of them

	Reading time.Duration // of all files, the parsing left out
	Parsing time.Duration
	// Times has how long each file took until it was there, the parsing left out: the first ones,
	// as far as there is room.
	Times []time.Duration
}
