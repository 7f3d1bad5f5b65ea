// Package cli is what the commands of this repository have in common: flags, exit statuses, errors
// in one line, signals, standard output that may be full, one JSON value for programs, a line of
// progress, and files that are whole or not there.
//
// With -json standard output holds exactly the value that the command describes, also when
// something failed: then what was understood and found until then. Everything else goes to standard
// error.
package cli
