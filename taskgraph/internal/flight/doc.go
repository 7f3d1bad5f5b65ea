// Package flight keeps what happened last: rings of small records, each written by one goroutine
// at a time without a lock and read while it is written. README.md has the protocol.
package flight
