// Package orchestra plays a piece in blocks of 64 frames: voices that are played from it, a channel
// with effects for each of its parts, and a hall around them.
//
// What is to be done in a block is a [Plan], a list of nodes and of what comes before what. Nodes
// that are not ordered by it share nothing, and each adds up what others have made in a fixed
// order: so whoever runs the plan, in whatever order it allows and on however many threads, gets
// the same samples, bit for bit. Nothing is allocated after set-up.
package orchestra
