// Package once has the table that makes each thing once however many ask for it, and the counts by
// which those who have a thing hold it until nobody does. holds.md in package assets has the proof.
package once
