// Package cacheline tells how far apart two words must lie so that two cores that write
// them do not share a cache line.
package cacheline
