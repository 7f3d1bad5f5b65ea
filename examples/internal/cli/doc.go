// Package cli is what the command lines of the examples have in common: exit statuses, errors in one line, a report as a
// table or as one JSON object, and a line of progress on a terminal.
package cli
