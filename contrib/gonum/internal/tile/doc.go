// Package tile has the serial steps that the tasks of packages tileblas and tilelapack are made of:
// products, triangular solves and factors of tiles, each on one goroutine, by gonum's own kernels.
//
// gonum's kernels are reached through its public routines, called with so little that they neither
// start goroutines nor leave the first-level cache: 64 columns by 64 of the inner dimension. What a
// kernel reads again and again is copied into a buffer first, where rows lie one after the other.
// In place, rows that are a power of two apart compete for the same few lines of the cache.
package tile
