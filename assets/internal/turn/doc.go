// Package turn has what many goroutines ask for done one after the other, without a lock and
// without a goroutine of its own.
package turn
