// Package figures makes the numbers that examples print of the times that they took.
package figures
