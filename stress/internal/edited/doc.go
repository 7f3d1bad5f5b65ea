// Package edited builds the tests of a package with one of its files edited, and runs them: what
// the commands do that seed bugs.
package edited
