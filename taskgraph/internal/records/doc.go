// Package records holds records that are recycled and have numbers, so that entries of queues can
// name them.
package records
