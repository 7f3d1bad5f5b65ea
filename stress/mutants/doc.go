// Mutants makes small wrong edits of shipped files, one at a time, and says which of them neither
// the tests nor the models of the package find.
package main
