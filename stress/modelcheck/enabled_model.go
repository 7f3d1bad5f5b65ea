//go:build modelcheck

package modelcheck

// Enabled says whether the program was built with the tag modelcheck, without which there is
// nothing to explore.
const Enabled = true
