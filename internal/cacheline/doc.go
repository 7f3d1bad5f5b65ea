// Package cacheline says how far apart two words must be so that two cores that write them do not
// share a cache line.
package cacheline
