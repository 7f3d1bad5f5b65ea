package build

import "github.com/heddle-go/heddle/assets"

// A Report says what a build has done.
type Report struct {
	Files    int   // that were written
	Copied   int   // of them, for which there is no rule
	Encoded  int   // by an encoder, here or elsewhere, for this build
	Cached   int   // taken from the cache of this machine
	Shared   int   // which the farm had kept from another build
	Read     int64 // bytes of sources
	Written  int64 // bytes of files
	Removed  int   // files of an earlier build that is not made any more
	Failures []Failure
}

// A Failure is a source of which nothing could be made, and which is left out.
type Failure struct {
	ID   assets.ID
	Path string
	Err  error
}

// An Origin says where a result comes from.
type Origin uint8

// The origins.
const (
	OriginEncoded Origin = iota // it was made for this call
	OriginShared                // a farm had it
)
