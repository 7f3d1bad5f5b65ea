// Package cast calls a function once in each of several places, whose holders come when they can,
// and withdraws the calls that nobody has answered. It does not know what the places are.
package cast
