// Package figure dresses the skeleton of [anim.Human]: a skin that is grown around its bones,
// in one piece, and clothes in any colours.
package figure
