// Package edited builds the tests of a package with files of it edited, and runs them: what
// the commands do that seed bugs.
package edited
