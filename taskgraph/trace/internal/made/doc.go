// Package made makes snapshots of programs whose work and span are known, for tests: it runs them
// in virtual time on workers of its own.
package made
