// Package records holds records that have numbers, so that an entry of a queue can name one, and
// that are used again.
package records
