// Package race tells tests whether the race detector is on, under which everything takes many times
// as long, and some things allocate.
package race
