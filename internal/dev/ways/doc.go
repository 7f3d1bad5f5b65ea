// Package ways has all ways in which a function can leave, for tests of what calls functions that
// it does not know: whatever the function does, the caller has to go on, or somebody in its place.
package ways
