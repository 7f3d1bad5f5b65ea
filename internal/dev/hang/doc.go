// Package hang ends the program of tests that would wait for ever.
package hang
