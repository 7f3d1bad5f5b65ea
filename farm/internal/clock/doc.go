// Package clock builds programs whose wall clock a test can set. The clock of a machine needs its
// administrator, and Linux has no namespace for it; so the package time of a build is overlaid.
package clock
