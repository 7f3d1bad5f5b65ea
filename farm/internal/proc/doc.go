// Package proc starts real processes of the program that runs, in other roles, does to them what
// operating systems and users do, and leaves none behind. Linux only.
package proc
