// Package migration holds both sides of what docs/migration.md shows: examples of other libraries,
// and the same with Heddle.
package migration
