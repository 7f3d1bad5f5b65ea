// Package counts counts what has not ended, the tasks of a run and the calls of a group, and says
// when there is nothing left.
package counts
