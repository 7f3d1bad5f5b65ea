// Package bundles keeps many values behind one entry of a queue: in a bundle those that the holder
// of a slot brings, in a parcel those of everybody else. It does not know what the values are.
package bundles
