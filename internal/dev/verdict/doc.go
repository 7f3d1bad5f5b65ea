// Package verdict says in words how Heddle's times compare with those of others: the last sentences
// of commands that measure.
package verdict
