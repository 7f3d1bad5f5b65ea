// Package nest reads a lane of a snapshot as stretches inside stretches, whatever was lost of it.
package nest
