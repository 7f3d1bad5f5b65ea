// Package faults has only tests: real processes of a farm are killed, stopped and cut off from each
// other, and a judge looks at the history of every run. ../faults.md says what is done, what must
// hold, and what one run came to.
package faults
