// Package paged holds tables that grow without moving: a three-level array addressed by a
// 32-bit index, whose elements keep their address for the life of the table.
package paged
