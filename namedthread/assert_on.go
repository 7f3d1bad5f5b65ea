//go:build !heddle_noassert

package namedthread

// assertions says whether MustBeCurrent looks.
const assertions = true
