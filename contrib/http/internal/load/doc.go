// Package load measures what becomes of requests that people wait for while a flood of batch work
// comes, for several ways of having handlers run.
package load
