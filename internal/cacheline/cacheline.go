package cacheline

// Size is the distance, in bytes, that keeps two written words from disturbing each other:
// two lines of 64 bytes, because amd64 processors fetch lines in adjacent pairs, and the
// 128-byte lines of some arm64 processors.
const Size = 128

// Pad is a field that moves the next one to a line of its own.
type Pad [Size]byte

// New returns a zero T that shares no cache line with anything else. It is for a few small objects
// that one goroutine writes all the time: otherwise these may lie between objects that other
// goroutines write.
func New[T any]() *T {
	return &new(struct {
		_     Pad
		value T
		_     Pad
	}).value
}
