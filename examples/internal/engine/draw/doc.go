// Package draw prepares what a picture is drawn from: static geometry cut to the view, the
// list of visible items in order, splats for particles, and the path of the camera.
//
// The functions over ranges may run over the parts of a whole in any order and at the same
// time, with the same result. Nothing is allocated after set-up. What a picture is drawn from
// is written to a [Clipped], a [List] and a slice of splats: with two of each, one picture can
// be drawn while the next is prepared.
package draw
