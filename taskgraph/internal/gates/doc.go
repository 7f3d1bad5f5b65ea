// Package gates lets entries through as long as it has places for them.
package gates
