// Package history judges what concurrent calls returned.
//
// A history is a slice of Calls, each with the time at which it began and ended. A Checker
// searches for an order of the calls that explains them: each call takes effect at one moment
// between its begin and its end, and a Spec says what it may return then. A LevelChecker
// does so for queues with priorities. A FIFOMonitor judges long histories of queues without
// a search. A Recorder writes histories down, and Windows makes many short ones.
package history
