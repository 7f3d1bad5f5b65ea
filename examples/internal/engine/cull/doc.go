// Package cull finds what a view cannot show: boxes outside its borders, and boxes behind
// others.
//
// It errs on one side only. What it calls hidden covers no sample of the picture, so the
// picture with culling off is the same, bit for bit.
//
// The functions over ranges may run over the parts of a whole in any order and at the same
// time. Nothing is allocated after set-up.
package cull
